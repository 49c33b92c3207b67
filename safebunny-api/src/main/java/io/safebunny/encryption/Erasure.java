// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of the key of a person. Immutable.
 *
 * @param subject the person, as the keyed hash under which the key is kept
 * @param hadKey whether there was a key in use when this was asked
 * @param erasedAt when a key of the person was destroyed, the last time; {@code null} if none was
 * @param holdsFrom when no instance remembers that key any more; {@code null} if none was destroyed
 */
public record Erasure(
        String subject,
        boolean hadKey,
        @Nullable Instant erasedAt,
        @Nullable Instant holdsFrom) {}
