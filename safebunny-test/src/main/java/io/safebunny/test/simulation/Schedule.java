// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Everything that goes wrong in a run, in order; whatever else happens follows from it. Immutable. */
public record Schedule(List<Event> events) {

    /** Nothing goes wrong. */
    public static final Schedule CLEAN = new Schedule(List.of());

    public Schedule {
        events = List.copyOf(events);
    }

    /** @param events as {@link #write} gives them */
    public static Schedule read(String... events) {
        return new Schedule(Arrays.stream(events).map(Event::read).toList());
    }

    /** One line per event, in a form that can be read back. */
    public List<String> write() {
        return events.stream().map(Event::write).toList();
    }

    Schedule without(int index) {
        return new Schedule(
                Stream.concat(events.subList(0, index).stream(), events.subList(index + 1, events.size()).stream())
                        .toList());
    }
}
