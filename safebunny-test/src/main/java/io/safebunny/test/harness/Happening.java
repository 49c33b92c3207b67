// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An event in the life of a message. Immutable; never holds a payload.
 *
 * @param at in virtual time
 * @param node where it happened
 * @param saga correlation id, as its sender wrote it
 * @param type name of the message type, as its sender wrote it
 * @param detail readable text; empty for none
 * @param due when the message arrives; {@code null} if it is not delayed
 */
public record Happening(
        Instant at,
        String node,
        String saga,
        String messageId,
        String type,
        Kind kind,
        String detail,
        @Nullable Instant due) {

    /** The kind of event. */
    public enum Kind {
        PUBLISHED("published"),
        DELIVERED("delivered"),
        FAILED("failed"),
        RETRIED("to be retried"),
        RETURNED("comes back"),
        HANDED_BACK("handed back to the broker"),
        COMPLETED("completed"),
        SET_ASIDE("set aside");

        private final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    /** @param since the moment to which printed times are relative */
    public String line(Instant since) {
        return "%12s  %-14s %s %s %s%s"
                .formatted(
                        "+" + text(Duration.between(since, at)),
                        node,
                        kind.words,
                        type,
                        messageId,
                        detail.isEmpty() ? "" : ": " + detail);
    }

    /** The duration in readable form: {@code 7d 2h}, {@code 1.5s}. */
    public static String text(Duration duration) {
        if (duration.isNegative()) {
            return "-" + text(duration.negated());
        }
        StringBuilder text = new StringBuilder();
        append(text, duration.toDays(), "d");
        append(text, duration.toHoursPart(), "h");
        append(text, duration.toMinutesPart(), "min");
        long millis = duration.toSecondsPart() * 1000L + duration.toMillisPart();
        if (millis > 0 || text.isEmpty()) {
            append(text.append(text.isEmpty() ? "" : " "), millis);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, long amount, String unit) {
        if (amount > 0) {
            text.append(text.isEmpty() ? "" : " ").append(amount).append(unit);
        }
    }

    private static void append(StringBuilder text, long millis) {
        if (millis % 1000 == 0) {
            text.append(millis / 1000).append('s');
        } else if (millis < 1000) {
            text.append(millis).append("ms");
        } else {
            text.append(String.format(Locale.ROOT, "%d.%03ds", millis / 1000, millis % 1000));
        }
    }
}
