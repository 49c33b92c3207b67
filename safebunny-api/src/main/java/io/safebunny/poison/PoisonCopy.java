// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One copy of a message with everything known about it. Contains what its sender wrote, so do not show it to everybody.
 * Do not change the array.
 *
 * @param body decoded if its {@code content-encoding} is known, and as JSON if its format is another one that can be shown as JSON; {@code null} if bodies were not requested or it exceeded the
 *     requested size
 * @param record the stored record of the message; {@code null} if there is none or it could not be read; the verdict tells which
 */
public record PoisonCopy(
        PoisonedMessage message,
        byte @Nullable [] body,
        @Nullable Stored record) {

    /**
     * The stored record of a message.
     *
     * @param state one of {@code CLAIMED}, {@code RELEASED}, {@code COMPLETED}, {@code DISPATCHED}, {@code POISONED}, {@code
     *     UNDONE}
     * @param attempt delayed retries used so far
     * @param version increases with each write; compare {@code sb-poison-version}
     * @param owner instance that wrote it last
     * @param steps names of the completed {@code once} steps, in order
     * @param publications number of publications in it
     * @param failures its latest failed attempts, in order; at most five
     */
    public record Stored(
            String state,
            int attempt,
            long version,
            String owner,
            List<String> steps,
            int publications,
            List<Failure> failures) {

        public Stored {
            steps = List.copyOf(steps);
            failures = List.copyOf(failures);
        }
    }

    /**
     * A failed attempt to handle a message.
     *
     * @param at when it had failed, by its instance's clock
     * @param instance that handled the message
     * @param millis how long the attempt took
     * @param exception name of the class
     * @param text first line of its text, at most 200 characters; {@code null} if there is none, or {@code exception-details} does not
     *     let it be shown
     * @param nextAt when the next attempt was to begin; {@code null} if there was to be none
     */
    public record Failure(
            Instant at,
            String instance,
            long millis,
            String exception,
            @Nullable String text,
            @Nullable Instant nextAt) {}

    @Override
    public String toString() {
        return message.toString();
    }
}
