// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that failed, with all that its recovery depends on.
 *
 * @param failure of the handler, or of a step around it
 * @param inMemoryRetries of the handler in this delivery so far; {@link #NO_MORE} when it cannot be run again in it
 * @param delayedRetries of the message so far
 * @param isOpen whether the delivery is still this consumer's; else the broker delivers the message again, whatever is decided
 * @param age of the message
 * @param random 0 to 1, for jitter
 */
public record FailedAttempt(
        Throwable failure, int inMemoryRetries, int delayedRetries, boolean isOpen, Age age, double random) {

    public static final int NO_MORE = Integer.MAX_VALUE;

    /**
     * How old a message is, and may be when it is handled.
     *
     * @param limit {@code null} for none
     */
    public record Age(Duration now, @Nullable Duration limit) {

        public static final Age UNLIMITED = new Age(Duration.ZERO, null);

        /** Whether the message is too old after so long. */
        public boolean isExceededIn(Duration wait) {
            return limit != null && now.plus(wait).compareTo(limit) > 0;
        }
    }
}
