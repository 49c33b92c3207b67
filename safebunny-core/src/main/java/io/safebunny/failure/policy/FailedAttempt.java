// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt, with everything its recovery depends on. Immutable.
 *
 * @param failure the exception of the handler or of a pipeline step around it
 * @param delayedRetries delayed retries of the message so far
 * @param isOpen whether the delivery still belongs to this consumer; otherwise the broker redelivers the message, whatever is
 *     decided
 * @param age age of the message, and its limit
 * @param timeLeft time until its deadline
 * @param random 0 to 1, for jitter
 */
public record FailedAttempt(
        Throwable failure, int delayedRetries, boolean isOpen, Age age, TimeLeft timeLeft, double random) {

    /** Of a message without a deadline. */
    public FailedAttempt(Throwable failure, int delayedRetries, boolean isOpen, Age age, double random) {
        this(failure, delayedRetries, isOpen, age, TimeLeft.UNLIMITED, random);
    }

    /**
     * Time until the deadline of a message.
     *
     * @param left {@code null} if it does not expire (any more)
     * @param isCutShort whether it was not retried in memory because that would have come too late
     */
    public record TimeLeft(@Nullable Duration left, boolean isCutShort) {

        public static final TimeLeft UNLIMITED = new TimeLeft(null, false);

        /** Whether an attempt after this wait would come too late. */
        public boolean endsWithin(Duration wait) {
            return left != null && (isCutShort || left.compareTo(wait) <= 0);
        }
    }

    /**
     * The age of a message, and the age up to which messages are handled.
     *
     * @param limit {@code null} for none
     */
    public record Age(Duration now, @Nullable Duration limit) {

        public static final Age UNLIMITED = new Age(Duration.ZERO, null);

        /** Whether the message will be too old after this wait. */
        public boolean isExceededIn(Duration wait) {
            return limit != null && now.plus(wait).compareTo(limit) > 0;
        }
    }
}
