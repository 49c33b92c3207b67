// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.failure.MisuseException;
import java.util.Locale;

/** A fault at a point. */
public record Event(Point point, Fault fault) {

    private static final String SEPARATOR = " | ";
    private static final int PARTS = 5;

    /** As {@link #write} wrote it. */
    static Event read(String text) {
        String[] parts = text.split(" \\| ", -1);
        try {
            if (parts.length == PARTS) {
                Place place = Place.valueOf(parts[1]);
                return new Event(
                        new Point(parts[0], place, parts[2], Integer.parseInt(parts[3])), Fault.valueOf(parts[4]));
            }
        } catch (IllegalArgumentException e) {
            throw unreadable(text, e);
        }
        throw unreadable(text, null);
    }

    private static MisuseException unreadable(String text, @org.jspecify.annotations.Nullable Throwable cause) {
        return new MisuseException(
                MisuseException.ARGUMENT,
                "This is no line of a schedule [line=%s]: process | place | subject | occurrence | fault, 'without message 2' or '1 instance of billing'. Copy it from the report."
                        .formatted(text),
                cause);
    }

    /** In a form that can be read back. */
    String write() {
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
