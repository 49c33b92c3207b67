// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended. Immutable: a task that hangs may go on when the run is over, and changes nothing of this any more.
 *
 * @param violation {@code null} when everything holds
 * @param events what went wrong on the way
 * @param fingerprint equal for equal runs
 */
record Outcome(
        @Nullable Violation violation,
        List<Point> points,
        List<Event> events,
        long fingerprint,
        List<Journal.Entry> journal) {

    Outcome {
        points = List.copyOf(points);
        events = List.copyOf(events);
        journal = List.copyOf(journal);
    }
}
