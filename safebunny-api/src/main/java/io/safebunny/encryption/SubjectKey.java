// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The key of one person as {@link SubjectKeys} keep it, or, once it is destroyed, that there was one. Immutable; the bytes are not copied and
 * must not be changed.
 *
 * @param id random, so that it says nothing about the person; at most 32 characters of {@code [0-9a-f]}, or {@code secret}
 * @param subject the person, as a keyed hash: at most 64 characters of {@code [0-9a-f]}, or {@code secret}
 * @param wrappingKey id of the key under which it is encrypted; at most 128 characters
 * @param sealed the key, encrypted; at most 1,400 bytes, {@code null} once it is destroyed
 * @param erasedAt when it was destroyed; {@code null} as long as it is there
 */
public record SubjectKey(
        String id,
        String subject,
        String wrappingKey,
        byte @Nullable [] sealed,
        @Nullable Instant erasedAt) {

    /** Whether it is destroyed. */
    public boolean isErased() {
        return erasedAt != null;
    }

    /** The same, destroyed. */
    public SubjectKey erased(Instant at) {
        return new SubjectKey(id, subject, wrappingKey, null, at);
    }

    /** Names neither person nor key material. */
    @Override
    public String toString() {
        return "SubjectKey[" + id + (isErased() ? ", erased at " + erasedAt : "") + "]";
    }
}
