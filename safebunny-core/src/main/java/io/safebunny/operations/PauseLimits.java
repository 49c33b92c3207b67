// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import java.time.Duration;
import tools.jackson.databind.JsonNode;

/** Checks values from callers and other instances against their limits. */
final class PauseLimits {

    static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
    static final Duration LONGEST_PAUSE = Duration.ofDays(365);
    static final int LONGEST_ID = 200;
    static final int LONGEST_REASON = 500;
    static final int LONGEST_BY = 100;

    private PauseLimits() {}

    /** @throws MisuseException SB-5001 */
    static Duration pause(Duration duration) {
        if (duration.compareTo(SHORTEST_PAUSE) < 0 || duration.compareTo(LONGEST_PAUSE) > 0) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid pause [duration=%s]: it must be 1 ms to 365 days. Call resume to end a pause."
                            .formatted(duration));
        }
        return Duration.ofMillis(duration.toMillis());
    }

    /** @throws MisuseException SB-5001 */
    static String words(String what, String text, int longest) {
        if (text.isBlank() || text.length() > longest) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid operation [%s has %s characters]: it must have 1 to %s. Give one that other operators understand in the log."
                            .formatted(what, text.strip().length(), longest));
        }
        return Names.printable(text, longest);
    }

    /** @throws IllegalArgumentException when the text is missing or too long */
    static String text(JsonNode json, String name, int longest) {
        String text = json.path(name).asString("");
        if (text.isEmpty() || text.length() > 4 * longest) { // an escaped text may be four times as long
            throw new IllegalArgumentException(name);
        }
        return text;
    }
}
