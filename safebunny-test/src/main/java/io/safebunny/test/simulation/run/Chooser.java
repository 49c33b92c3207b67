// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Decides at each point of a run whether a fault occurs. Confined to the run. */
@FunctionalInterface
public interface Chooser {

    /** The fault that occurs at this point; {@code null} for none. */
    @Nullable
    Fault choose(Point point);

    /** A chooser that follows a schedule. */
    static Chooser of(Schedule schedule) {
        Map<Point, Fault> planned = schedule.events().stream()
                .collect(Collectors.toMap(Event::point, Event::fault, (first, second) -> first));
        return ((Function<Point, @Nullable Fault>) planned::get)::apply;
    }
}
