// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import io.safebunny.failure.MisuseException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A fault at a point. */
public record Event(Point point, Fault fault) {

    private static final String SEPARATOR = " | ";
    private static final Pattern LINE =
            Pattern.compile("([^|]+) \\| ([^|]+) \\| (.*) \\| (\\d{1,9}) \\| ([^|]+)", Pattern.DOTALL);

    /** Reads the text that {@link #write} has written. The subject may contain any characters. */
    static Event read(String text) {
        Matcher parts = LINE.matcher(text);
        if (!parts.matches()) {
            throw unreadable(text);
        }
        return new Event(
                new Point(
                        parts.group(1),
                        one(Place.values(), parts.group(2), text),
                        parts.group(3),
                        Integer.parseInt(parts.group(4))),
                one(Fault.values(), parts.group(5), text));
    }

    private static <T extends Enum<T>> T one(T[] known, String name, String text) {
        for (T one : known) {
            if (one.name().equals(name)) {
                return one;
            }
        }
        throw new MisuseException(
                MisuseException.ARGUMENT,
                "'%s' in a line of a schedule is none of %s [line=%s].".formatted(name, Arrays.toString(known), text));
    }

    private static MisuseException unreadable(String text) {
        return new MisuseException(
                MisuseException.ARGUMENT,
                "This is no line of a schedule [line=%s]: process | place | subject | occurrence | fault, 'without message 2: OrderPlaced of order-8' or '1 instance of billing'. Copy it from the report."
                        .formatted(text));
    }

    /** The event in a form that {@link #read} can read back. */
    public String write() {
        return String.join(
                SEPARATOR,
                point.process(),
                point.place().name(),
                point.subject(),
                Integer.toString(point.occurrence()),
                fault.name());
    }

    @Override
    public String toString() {
        return "%s when %s".formatted(fault.name().toLowerCase(Locale.ROOT), point);
    }
}
