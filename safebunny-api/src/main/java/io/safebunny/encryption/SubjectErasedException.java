// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import io.safebunny.failure.SafeBunnyException;
import java.time.Instant;

/**
 * The key of the person whom a body is about was destroyed, so nobody can read the body any more. Its message is not handled, not retried and
 * not set aside: it ends as shredded.
 */
public final class SubjectErasedException extends SafeBunnyException {

    private final Instant erasedAt;

    public SubjectErasedException(Instant erasedAt) {
        super("SB-3022", "Its person was erased [at=%s]: nobody can read the body any more.".formatted(erasedAt), null);
        this.erasedAt = erasedAt;
    }

    /** When the key was destroyed, by the clock of the instance that did it. */
    public Instant erasedAt() {
        return erasedAt;
    }
}
