// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rate;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * At most this many handlings begin within any window of this length, evenly spaced. Immutable.
 *
 * @param messages 1 to 1,000,000, and 1,000 per second
 * @param window 1 s to 1 day
 */
public record HandlingRate(int messages, Duration window) {

    /** What {@link #parse} takes, for error messages. */
    public static final String SYNTAX =
            "a whole number of messages per time, such as 400/min, 10/s, 100/10s or 1/h (s, min, h or d), at most 1000000, 1000 per second, and per day; or none";

    /** The text for no limit, where a class or a property would set one. */
    public static final String NONE = "none";

    private static final Pattern TEXT = Pattern.compile("(\\d{1,7})\\s*/\\s*(\\d{0,5})\\s*(s|min|h|d)");
    private static final int MOST = 1_000_000;
    private static final int MOST_PER_SECOND = 1_000;
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final int SHARE_OF_WINDOW = 100;
    private static final long LEAST_TOLERANCE = Duration.ofMillis(20).toNanos();

    /** @throws IllegalArgumentException if it is out of range */
    public HandlingRate {
        if (messages < 1
                || messages > MOST
                || window.compareTo(SHORTEST) < 0
                || window.compareTo(LONGEST) > 0
                || messages > MOST_PER_SECOND * window.toNanos() / 1e9) {
            throw new IllegalArgumentException("rate out of range: %s messages in %s".formatted(messages, window));
        }
    }

    /**
     * {@code null} for {@link #NONE}.
     *
     * @throws IllegalArgumentException if the text is not of the {@link #SYNTAX}
     */
    public static @Nullable HandlingRate parse(String text) {
        if (text.equals(NONE)) {
            return null;
        }
        Matcher found = TEXT.matcher(text);
        if (!found.matches()) {
            throw new IllegalArgumentException("not a rate");
        }
        int messages = Integer.parseInt(found.group(1));
        int times = found.group(2).isEmpty() ? 1 : Integer.parseInt(found.group(2));
        Duration window = unit(found.group(3)).multipliedBy(times);
        return new HandlingRate(messages, window);
    }

    private static Duration unit(String text) {
        return switch (text) {
            case "s" -> Duration.ofSeconds(1);
            case "min" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            default -> Duration.ofDays(1);
        };
    }

    /**
     * How late a message may begin that has a time of its own, in nanoseconds: 1 % of the window, and 20 ms at least. One that is later than
     * that needs another time: otherwise an instance that stood still would begin all at once.
     */
    public long tolerance() {
        return Math.max(LEAST_TOLERANCE, window.toNanos() / SHARE_OF_WINDOW);
    }

    /** From one time to the next, in nanoseconds: even if one is late, and one a window later is not, no window has too many. */
    public long interval() {
        return (window.toNanos() + tolerance() + messages - 1) / messages;
    }

    public double perSecond() {
        return messages * 1e9 / window.toNanos();
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        String unit = window.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
        String time =
                switch (unit) {
                    case "1s", "1h" -> unit.substring(1);
                    case "1m" -> "min";
                    case "24h" -> "d";
                    default -> window.toSeconds() + "s";
                };
        return messages + "/" + time;
    }
}
