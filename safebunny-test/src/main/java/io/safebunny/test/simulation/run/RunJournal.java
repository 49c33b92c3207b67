// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A readable log of a run; kept only when it is needed. Confined to the run. */
public final class RunJournal {

    private final boolean isKept;
    private final Supplier<Duration> time;
    // synchronized, because a hanging task may go on while they are copied
    private final List<Entry> entries = Collections.synchronizedList(new ArrayList<>());

    public RunJournal(boolean isKept, Supplier<Duration> time) {
        this.isKept = isKept;
        this.time = time;
    }

    /** @param fault {@code null} for a point that was passed */
    public record Entry(Duration at, Point point, @Nullable Fault fault) {}

    public void reached(Point point) {
        add(point, null);
    }

    public void wentWrong(Point point, Fault fault) {
        add(point, fault);
    }

    public List<Entry> entries() {
        return entries;
    }

    private void add(Point point, @Nullable Fault fault) {
        if (isKept) {
            entries.add(new Entry(time.get(), point, fault));
        }
    }
}
