// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a few random faults. Some occur at points of the run without faults: the kind of fault is chosen before the point, so that kinds
 * that are possible at few points are as frequent as others. Others occur at points that exist only because of an earlier fault.
 */
public final class RandomChooser implements Chooser {

    private static final int MOST_FAULTS = 4;
    private static final int ONE_IN = 12;

    private final SplittableRandom random;
    private final Clean clean;
    private final Map<Point, Fault> planned = new HashMap<>();
    private int later;

    public RandomChooser(long seed, Clean clean) {
        this.random = new SplittableRandom(seed);
        this.clean = clean;
        int faults = clean.kinds().isEmpty() ? 0 : 1 + random.nextInt(MOST_FAULTS);
        this.later = faults == 0 ? 0 : random.nextInt(faults);
        for (int i = later; i < faults; i++) {
            Clean.Kind kind = clean.kinds().get(random.nextInt(clean.kinds().size()));
            planned.putIfAbsent(kind.points().get(random.nextInt(kind.points().size())), kind.fault());
        }
    }

    @Override
    public @Nullable Fault choose(Point point) {
        if (clean.contains(point)) {
            return planned.get(point);
        }
        if (later == 0 || random.nextInt(ONE_IN) != 0) {
            return null;
        }
        later--;
        List<Fault> faults = point.place().faults();
        return faults.get(random.nextInt(faults.size()));
    }
}
