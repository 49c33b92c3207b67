// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.convert.DurationStyle;

/**
 * Reads the parameters of a request. An invalid one is refused with SB-5001; the exception names the parameter, its value, and what is
 * allowed. Pure.
 */
public final class Asked {

    /** {@code REASON}, also in brackets or quotes of any kind, and with {@code YOUR} before it. */
    private static final Pattern PLACEHOLDER =
            Pattern.compile("[^\\p{L}\\d]*(?:your[^\\p{L}\\d]+)?reason[^\\p{L}\\d]*", Pattern.CASE_INSENSITIVE);

    private static final int LONGEST_NAME = 99;
    private static final int MOST_IDS = 1_000;

    private Asked() {}

    /** The user of the request, or {@code anonymous}. */
    public static String by(SecurityContext security) {
        Principal principal = security.getPrincipal();
        String name = principal == null ? "" : Names.printable(principal.getName(), LONGEST_NAME);
        return name.isBlank() ? "anonymous" : name;
    }

    /** @return the value, which is one of {@code words} */
    public static String oneOf(String what, @Nullable String value, List<String> words) {
        if (value != null && words.contains(value)) {
            return value;
        }
        throw wrong(what, value, "it must be " + String.join(" or ", words));
    }

    public static String present(String what, @Nullable String value) {
        if (value == null || value.isEmpty()) {
            throw wrong(what, null, "it is needed for this action");
        }
        return value;
    }

    /** @return text that can be written as UTF-8, is not blank, and is not too long */
    public static String text(String what, @Nullable String value, int longest) {
        String text = present(what, value);
        if (text.isBlank() || text.length() > longest) {
            throw wrong(what, text, "it must have 1 to %s characters, and not only spaces".formatted(longest));
        }
        if (!Names.isUnicode(text)) {
            throw wrong(what, text, "it has half of a character (an unpaired surrogate)");
        }
        return text;
    }

    /**
     * Refuses the word that stands for a reason in the requests of stories and of the documentation: in a log, and in the history of a saga,
     * it tells nobody anything.
     *
     * @return the reason; empty if there is none
     */
    public static String reason(@Nullable String value) {
        String reason = value == null ? "" : value;
        if (PLACEHOLDER.matcher(reason).matches()) {
            throw wrong("reason", reason, "it is the placeholder of the example. Write why in its place");
        }
        return reason;
    }

    /** Refuses a parameter that has no effect here. */
    public static void absent(String what, @Nullable String value, String why) {
        if (value != null) {
            throw wrong(what, value, why);
        }
    }

    /** Refuses an operation on all messages without {@code all=true}, and {@code all=true} with a filter. */
    public static void allOrSome(@Nullable String all, Stream<@Nullable String> filters) {
        boolean some = filters.anyMatch(Objects::nonNull);
        if (flag("all", all) == some) {
            throw wrong(
                    "all",
                    all,
                    some
                            ? "there is also a filter. Use only one of them"
                            : "it must be true if there is no type, poisonReason, exception, correlation, verdict, copy or ids, so that nobody moves all messages by mistake");
        }
    }

    /** @return the ids, which are separated by commas or spaces; at least one */
    public static Set<String> ids(String what, String value) {
        Set<String> ids = Stream.of(value.split("[,\\s]+"))
                .filter(id -> !id.isEmpty())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (ids.isEmpty()) {
            throw wrong(what, value, "it must have at least one message id");
        }
        if (ids.size() > MOST_IDS) {
            throw wrong(
                    what,
                    ids.size() + " ids",
                    "it may have at most %s message ids. Ask for the rest in another request, or use type, poisonReason, exception or correlation"
                            .formatted(MOST_IDS));
        }
        return ids;
    }

    public static boolean flag(String what, @Nullable String value) {
        return flag(what, value, false);
    }

    /** @param otherwise if it is absent */
    public static boolean flag(String what, @Nullable String value, boolean otherwise) {
        return value == null
                ? otherwise
                : Boolean.parseBoolean(oneOf(what, value.toLowerCase(Locale.ROOT), List.of("true", "false")));
    }

    /** @return the number, from 1 to {@code most} */
    public static int number(String what, @Nullable String value, int otherwise, int most) {
        int number = otherwise;
        try {
            number = value == null ? otherwise : Integer.parseInt(value);
        } catch (NumberFormatException e) {
            number = 0;
        }
        if (number < 1 || number > most) {
            throw wrong(what, value, "it must be a whole number, 1 to " + most);
        }
        return number;
    }

    /** @return the number, 0 or more; 0 if it is absent */
    public static int wholeNumber(String what, @Nullable String value) {
        if (value == null || value.equals("0")) {
            return 0;
        }
        try {
            return number(what, value, 0, Integer.MAX_VALUE);
        } catch (MisuseException e) {
            throw wrong(what, value, "it must be a whole number, 0 or more");
        }
    }

    public static double decimal(String what, @Nullable String value, double otherwise) {
        try {
            return value == null ? otherwise : Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw wrong(what, value, "it must be a number");
        }
    }

    /** @return the time, such as {@code 2026-01-31T10:00:00Z} */
    public static Instant instant(String what, @Nullable String value, Instant otherwise) {
        try {
            return value == null ? otherwise : Instant.parse(value);
        } catch (DateTimeParseException e) {
            throw wrong(what, value, "it must be a time such as 2026-01-31T10:00:00Z");
        }
    }

    public static Duration duration(@Nullable String value) {
        return duration("duration", value);
    }

    public static Duration duration(String what, @Nullable String value) {
        if (value != null && !value.matches("\\d*")) { // Spring reads a bare number as milliseconds
            try {
                return DurationStyle.detectAndParse(value);
            } catch (IllegalArgumentException | ArithmeticException e) {
                // refused below, like every value that is not a duration
            }
        }
        throw wrong(what, value, "it must be a number with a unit, such as 30s, 10m or 2h");
    }

    public static MisuseException wrong(String what, @Nullable String value, String needs) {
        return new MisuseException(
                MisuseException.ARGUMENT,
                "Invalid operation [%s=%s]: %s. Nothing was changed."
                        .formatted(what, value == null ? "missing" : Names.printable(value), needs));
    }
}
