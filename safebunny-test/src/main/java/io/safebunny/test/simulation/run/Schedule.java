// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The faults of a run, in order; they determine everything else. Immutable.
 *
 * @param cut parts of the system that the run leaves out
 */
public record Schedule(List<Event> events, Cut cut) {

    /** The schedule without faults. */
    public static final Schedule CLEAN = new Schedule(List.of());

    public Schedule {
        events = List.copyOf(events);
    }

    /** A schedule for the whole system. */
    public Schedule(List<Event> events) {
        this(events, Cut.NONE);
    }

    /**
     * @param lines lines as {@link #write} returns them
     * @throws io.safebunny.failure.MisuseException if a line cannot be read
     */
    public static Schedule read(String... lines) {
        List<Event> events = new ArrayList<>();
        Cut cut = Cut.NONE;
        for (String line : lines) {
            Cut more = cut.and(line);
            if (more == null) {
                events.add(Event.read(line));
            } else {
                cut = more;
            }
        }
        return new Schedule(events, cut);
    }

    /** One line for each part that is left out, and one for each event, in a form that {@link #read} can read back. */
    public List<String> write() {
        return Stream.concat(cut.write().stream(), events.stream().map(Event::write))
                .toList();
    }

    boolean isClean() {
        return events.isEmpty() && cut.equals(Cut.NONE);
    }

    public Schedule without(int index) {
        List<Event> fewer = new ArrayList<>(events);
        fewer.remove(index);
        return new Schedule(fewer, cut);
    }

    public Schedule with(Cut other) {
        return new Schedule(events, other);
    }
}
