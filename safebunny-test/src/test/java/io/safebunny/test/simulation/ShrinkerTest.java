// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.simulation.run.Event;
import io.safebunny.test.simulation.run.Fault;
import io.safebunny.test.simulation.run.Place;
import io.safebunny.test.simulation.run.Point;
import io.safebunny.test.simulation.run.Schedule;
import io.safebunny.test.simulation.run.Violation;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShrinkerTest {

    private static final Violation VIOLATION = new Violation("nothing is done twice", "it is");

    private final AtomicInteger runs = new AtomicInteger();

    private static Schedule schedule(int events) {
        return new Schedule(IntStream.range(0, events)
                .mapToObj(i -> new Event(new Point("billing", Place.AFTER_EFFECT, "charge " + i, 1), Fault.CRASH))
                .toList());
    }

    private static SimulatedSystem system() {
        return new SimulatedSystem((node, saga) -> List.of()).node("billing", 2, node -> List.of());
    }

    @Test
    void leavesOutWhatIsNotNeeded() {
        Event needed = schedule(6).events().get(4);
        Shrinker shrinker = new Shrinker(candidate -> candidate.events().contains(needed) ? VIOLATION : null, system());

        assertThat(shrinker.shrink(schedule(6), VIOLATION).write())
                .containsExactly("1 instance of billing", needed.write());
    }

    @Test
    void keepsWhatOnlyBreaksSomethingElse() {
        Shrinker shrinker = new Shrinker(
                candidate -> candidate.events().size() == 3 ? VIOLATION : new Violation("something else", "no"),
                system());

        assertThat(shrinker.shrink(schedule(3), VIOLATION)).isEqualTo(schedule(3));
    }

    @Test
    void givesUpAfterSomeRuns() {
        Shrinker shrinker = new Shrinker(
                candidate -> {
                    runs.incrementAndGet();
                    return null;
                },
                system());

        assertThat(shrinker.shrink(schedule(2_000), VIOLATION)).isEqualTo(schedule(2_000));
        assertThat(runs).hasValue(500);
    }
}
