// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.test.simulation.SimulatedSystem.Message;
import io.safebunny.test.simulation.SimulatedSystem.Node;
import io.safebunny.test.simulation.run.Cut;
import io.safebunny.test.simulation.run.Schedule;
import io.safebunny.test.simulation.run.Violation;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Removes everything that a violation does not need: first faults, then messages and instances. A smaller system is accepted only if it has
 * no violation without faults: otherwise the violation would come from the missing part.
 */
final class Shrinker {

    private static final int MOST_RUNS = 500;
    /** Maximum real time to spend, because each run with a hanging handler takes long. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Function<Schedule, @Nullable Violation> run;
    private final SimulatedSystem system;
    private final long begun = System.nanoTime();
    private int runs;

    /** @param system the system as it is declared */
    Shrinker(Function<Schedule, @Nullable Violation> run, SimulatedSystem system) {
        this.run = run;
        this.system = system;
    }

    Schedule shrink(Schedule schedule, Violation violation) {
        Schedule shortest = schedule;
        Schedule before;
        do {
            before = shortest;
            shortest = withoutMessages(withoutInstances(withoutFaults(shortest, violation), violation), violation);
        } while (!shortest.equals(before));
        return shortest;
    }

    private Schedule withoutFaults(Schedule schedule, Violation violation) {
        Schedule shortest = schedule;
        for (int i = schedule.events().size() - 1; i >= 0; i--) {
            shortest = shorter(shortest, shortest.without(i), violation);
        }
        return shortest;
    }

    private Schedule withoutInstances(Schedule schedule, Violation violation) {
        Schedule shortest = schedule;
        for (Node node : system.nodes().values()) {
            for (int number = 1; number < shortest.cut().instances(node.name(), node.instances()); number++) {
                shortest = smaller(shortest, shortest.cut().withInstances(node.name(), number), violation);
            }
        }
        return shortest;
    }

    private Schedule withoutMessages(Schedule schedule, Violation violation) {
        Schedule shortest = schedule;
        List<Message> messages = system.messages();
        for (int number = messages.size(); number >= 1; number--) {
            boolean isLast = shortest.cut().messages().size() == messages.size() - 1;
            if (!isLast && shortest.cut().hasMessage(number)) {
                shortest = smaller(
                        shortest,
                        shortest.cut()
                                .withoutMessage(number, messages.get(number - 1).description()),
                        violation);
            }
        }
        return shortest;
    }

    private Schedule smaller(Schedule schedule, Cut cut, Violation violation) {
        boolean isSound = !schedule.events().isEmpty() && !isOver() && violationOf(Schedule.CLEAN.with(cut)) == null;
        return isSound ? shorter(schedule, schedule.with(cut), violation) : schedule;
    }

    private Schedule shorter(Schedule schedule, Schedule candidate, Violation violation) {
        if (isOver()) {
            return schedule;
        }
        Violation found = violationOf(candidate);
        return found != null && found.invariant().equals(violation.invariant()) ? candidate : schedule;
    }

    private boolean isOver() {
        return runs >= MOST_RUNS || System.nanoTime() - begun > LONGEST.toNanos();
    }

    private @Nullable Violation violationOf(Schedule candidate) {
        runs++;
        return run.apply(candidate);
    }
}
