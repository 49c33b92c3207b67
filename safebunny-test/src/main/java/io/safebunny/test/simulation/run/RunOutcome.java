// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run. Immutable: a hanging task may continue after the run but cannot change it.
 *
 * @param violation {@code null} if everything holds
 * @param events the faults that occurred
 * @param fingerprint equal for equal runs
 */
public record RunOutcome(
        @Nullable Violation violation,
        List<Point> points,
        List<Event> events,
        long fingerprint,
        List<RunJournal.Entry> journal) {

    public RunOutcome {
        points = List.copyOf(points);
        events = List.copyOf(events);
        journal = List.copyOf(journal);
    }
}
