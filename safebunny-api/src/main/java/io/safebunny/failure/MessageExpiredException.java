// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The deadline of a message has passed, or its next attempt would come after it, so its handler does not run (again). */
public final class MessageExpiredException extends SafeBunnyException {

    /** @param cause the failure of the last attempt; {@code null} if there was none */
    public MessageExpiredException(Instant deadline, @Nullable Throwable cause) {
        super(
                "SB-3017",
                cause == null
                        ? "Message expired [deadline=%s]: that had passed before its handler could begin."
                                .formatted(deadline)
                        : "Message expired [deadline=%s]: its handler has failed (%s), and the next attempt would come too late."
                                .formatted(deadline, cause.getClass().getName()),
                cause);
    }
}
