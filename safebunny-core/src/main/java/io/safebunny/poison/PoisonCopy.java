// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One copy of a message with all there is to know of it. Not to be shown to everybody: the body is as its sender wrote it. Do not
 * change the array.
 *
 * @param body decoded, if its {@code content-encoding} is known; {@code null} when none was asked for, or there was no room for it
 * @param record what is stored of the message; {@code null} when nothing is, or when it cannot be told, as the verdict says
 */
public record PoisonCopy(
        PoisonedMessage message,
        byte @Nullable [] body,
        @Nullable Stored record) {

    /**
     * What the store has of a message.
     *
     * @param state one of {@code CLAIMED}, {@code RELEASED}, {@code COMPLETED}, {@code DISPATCHED}, {@code POISONED}, {@code UNDONE}
     * @param attempt delayed retries that it has used up
     * @param version grows with each write; as {@code sb-poison-version}
     * @param owner instance that wrote it last
     * @param steps names of the {@code once} steps that were completed, in their order
     * @param publications how many it has collected
     */
    public record Stored(String state, int attempt, long version, String owner, List<String> steps, int publications) {

        public Stored {
            steps = List.copyOf(steps);
        }
    }

    @Override
    public String toString() {
        return message.toString();
    }
}
