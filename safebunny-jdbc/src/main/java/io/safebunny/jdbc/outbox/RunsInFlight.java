// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.time.Timeline;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** The runs being sent; limits how many more rows may be claimed. Not thread-safe. */
final class RunsInFlight {

    /** Maximum number of batches, not counting stalled runs, which must not hold up the others. */
    private static final int BATCHES = 4;

    private final Timeline timeline;
    private final int batchSize;
    private final Set<Run> runs = new HashSet<>();
    private boolean wasFull;
    private boolean anyBegan;

    RunsInFlight(Timeline timeline, int batchSize) {
        this.timeline = timeline;
        this.batchSize = batchSize;
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    void begin(Collection<Run> more) {
        runs.addAll(more);
        anyBegan |= !more.isEmpty();
    }

    /** Number of rows that may be claimed now, at most one batch. */
    int room() {
        int all = runs.stream().mapToInt(run -> run.rows().size()).sum();
        int room = Math.min(BATCHES * batchSize - moving(), Lanes.MOST_HELD - all);
        wasFull = room <= 0;
        return Math.max(0, Math.min(room, batchSize));
    }

    private int moving() {
        long now = timeline.nanoTime();
        return runs.stream()
                .filter(run -> now - run.moved() < Destinations.SILENCE.toNanos())
                .mapToInt(run -> run.rows().size())
                .sum();
    }

    /** @return whether to claim more: there is room again, or later rows of these correlations are free */
    boolean end(Run run) {
        runs.remove(run);
        boolean looks = (wasFull && moving() <= BATCHES * batchSize / 2) || (anyBegan && moving() == 0);
        if (looks) {
            wasFull = false;
            anyBegan = false;
        }
        return looks;
    }
}
