// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** The points of a run without faults, in order. Immutable. */
public final class Clean {

    private final Set<Point> points;
    private final List<Kind> kinds;

    public Clean(Collection<Point> points) {
        this.points = Set.copyOf(points);
        this.kinds = Arrays.stream(Fault.values())
                .map(fault -> new Kind(
                        fault,
                        points.stream()
                                .filter(point -> point.place().faults().contains(fault))
                                .toList()))
                .filter(kind -> !kind.points().isEmpty())
                .toList();
    }

    /** @param points the points at which the fault can occur */
    record Kind(Fault fault, List<Point> points) {}

    boolean contains(Point point) {
        return points.contains(point);
    }

    List<Kind> kinds() {
        return kinds;
    }

    /** The schedules with a single fault: each possible fault at each point. */
    public List<Schedule> singles() {
        List<Schedule> singles = new ArrayList<>();
        for (Kind kind : kinds) {
            kind.points().forEach(point -> singles.add(new Schedule(List.of(new Event(point, kind.fault())))));
        }
        return singles;
    }
}
