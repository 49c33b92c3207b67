// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.failure.MisuseException;
import io.safebunny.test.simulation.SimulatedSystem.Message;
import io.safebunny.test.simulation.SimulatedSystem.Node;
import io.safebunny.test.simulation.process.QuietLog;
import io.safebunny.test.simulation.run.Chooser;
import io.safebunny.test.simulation.run.Clean;
import io.safebunny.test.simulation.run.Cut;
import io.safebunny.test.simulation.run.Event;
import io.safebunny.test.simulation.run.Finding;
import io.safebunny.test.simulation.run.NotDeterministicException;
import io.safebunny.test.simulation.run.Point;
import io.safebunny.test.simulation.run.RandomChooser;
import io.safebunny.test.simulation.run.RunOutcome;
import io.safebunny.test.simulation.run.RunReport;
import io.safebunny.test.simulation.run.Schedule;
import io.safebunny.test.simulation.run.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs a system of the application's own handlers through faults. The same schedule gives the same run on every machine, as long as
 * handlers take everything that varies, such as time and randomness, from their {@link SimulatedNode}. Immutable and thread-safe; several
 * threads call the declaration, each time for another run.
 */
public final class Simulation {

    private static final int THREADS = 2;

    private final Consumer<SimulatedSystem> declaration;
    private final @Nullable String method;

    private Simulation(Consumer<SimulatedSystem> declaration, @Nullable String method) {
        this.declaration = declaration;
        this.method = method;
    }

    /** @param declaration called for each run; must create everything itself */
    public static Simulation of(Consumer<SimulatedSystem> declaration) {
        return new Simulation(declaration, null);
    }

    /** @param method the test method with {@link BunnySimulation} that declares the system */
    static Simulation declaredBy(String method, Consumer<SimulatedSystem> declaration) {
        return new Simulation(declaration, method);
    }

    /**
     * Runs without faults, then with each single fault at each point, then with random combinations. SafeBunny's log is silenced meanwhile
     * if SLF4J is bound to Logback.
     *
     * @param schedules maximum number of runs in total
     * @param seed of the random faults
     * @return the first violation in this order; {@code null} if everything held in all runs
     * @throws NotDeterministicException if two runs of one schedule differ
     * @throws MisuseException if {@code schedules} is not positive
     */
    public @Nullable Finding explore(int schedules, long seed) {
        if (schedules < 1) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid number of schedules [schedules=%s]: at least 1.".formatted(schedules));
        }
        try (QuietLog quiet = QuietLog.begin()) {
            return search(schedules, seed);
        }
    }

    private @Nullable Finding search(int schedules, long seed) {
        RunOutcome first = run(Schedule.CLEAN, false);
        if (first.violation() != null) {
            return finding(first.violation(), 1, Schedule.CLEAN);
        }
        if (first.points().isEmpty()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Nothing happens in this system: publish a message that one of its nodes handles, with publish(node, payload, correlationId).");
        }
        requireSame(first, run(Schedule.CLEAN, false));
        Clean clean = new Clean(first.points());
        List<Schedule> singles = clean.singles();
        int found = firstViolation(schedules - 1, index -> chooser(index, singles, clean, seed));
        if (found < 0) {
            return null;
        }
        RunOutcome outcome = run(chooser(found, singles, clean, seed));
        Violation violation = outcome.violation();
        if (violation == null) {
            throw new NotDeterministicException(
                    "Schedule %s violated something, and did not when it was run again. Something in it depends on more than the schedule: real time, threads, random numbers, or objects that survive a run."
                            .formatted(found + 2));
        }
        return finding(violation, found + 2, new Schedule(outcome.events()));
    }

    private static void requireSame(RunOutcome first, RunOutcome second) {
        if (first.fingerprint() == second.fingerprint()) {
            return;
        }
        int same = 0;
        while (same < Math.min(first.points().size(), second.points().size())
                && first.points().get(same).equals(second.points().get(same))) {
            same++;
        }
        throw new NotDeterministicException(
                "Two runs without a fault differ after %s points: in one %s, in the other %s. What comes before that depends on more than the schedule: real time, random numbers, threads, or objects that survive a run."
                        .formatted(same, at(first.points(), same), at(second.points(), same)));
    }

    private static String at(List<Point> points, int index) {
        return index < points.size() ? points.get(index).toString() : "nothing happens any more";
    }

    private static Chooser chooser(int index, List<Schedule> singles, Clean clean, long seed) {
        return index < singles.size()
                ? Chooser.of(singles.get(index))
                : new RandomChooser(seed * 1_000_003 + index, clean);
    }

    /**
     * Runs a schedule once more, with its faults.
     *
     * @throws AssertionError with the report, if something does not hold. Also if a point of the schedule is never reached, or the system
     *     does not have the parts that the schedule leaves out, because it then proves nothing any more
     */
    public void replay(Schedule schedule) {
        List<String> missing = schedule.cut()
                .missingIn(
                        whole().messages().stream().map(Message::description).toList(),
                        whole().nodes().values().stream().collect(Collectors.toMap(Node::name, Node::instances)));
        if (!missing.isEmpty()) {
            throw new AssertionError(
                    "The system has changed, and this schedule leaves out what it does not have [schedule=%s]. Explore again for another one, or delete this test."
                            .formatted(missing));
        }
        RunOutcome outcome = run(schedule, true);
        if (outcome.violation() != null) {
            throw new AssertionError(RunReport.of(outcome.violation(), schedule, outcome.journal(), ""));
        }
        List<Event> missed = new ArrayList<>(schedule.events());
        missed.removeAll(outcome.events());
        if (!missed.isEmpty()) {
            throw new AssertionError(
                    "Not all of the schedule happens any more [never=%s]: names have changed, or what happens before. Explore again for one that does, or delete this test."
                            .formatted(missed));
        }
    }

    /**
     * Fingerprints of the schedules of {@link #explore}: equal on every machine for equal runs, to compare with those of another JVM.
     *
     * @param schedules number of runs, as for {@link #explore}
     */
    public List<Long> fingerprints(int schedules, long seed) {
        try (QuietLog quiet = QuietLog.begin()) {
            RunOutcome first = run(Schedule.CLEAN, false);
            Clean clean = new Clean(first.points());
            List<Schedule> singles = clean.singles();
            List<Long> fingerprints = new ArrayList<>(List.of(first.fingerprint()));
            for (int index = 0; index < schedules - 1; index++) {
                fingerprints.add(run(chooser(index, singles, clean, seed)).fingerprint());
            }
            return fingerprints;
        }
    }

    private Finding finding(Violation violation, int schedules, Schedule schedule) {
        Schedule shortest = new Shrinker(this::violationOf, whole()).shrink(schedule, violation);
        RunOutcome outcome = run(shortest, true);
        Violation last = outcome.violation() == null ? violation : outcome.violation();
        Schedule happened =
                new Schedule(outcome.events(), shortest.cut()); // some of its faults may depend on removed parts
        return new Finding(
                last,
                schedules,
                happened,
                RunReport.of(last, happened, outcome.journal(), RunReport.test(happened, method)));
    }

    /** The declared system, without running it. */
    private SimulatedSystem whole() {
        SimulatedSystem whole = new SimulatedSystem((node, saga) -> List.of());
        declaration.accept(whole);
        return whole;
    }

    /**
     * The violation in a run of the schedule; {@code null} if everything holds, whether or not all of the schedule's points are reached.
     */
    public @Nullable Violation violationOf(Schedule schedule) {
        return run(schedule, false).violation();
    }

    private RunOutcome run(Schedule schedule, boolean isTold) {
        return run(Chooser.of(schedule), schedule.cut(), isTold);
    }

    private RunOutcome run(Chooser chooser) {
        return run(chooser, Cut.NONE, false);
    }

    private RunOutcome run(Chooser chooser, Cut cut, boolean isTold) {
        try (World world = new World(declaration, cut, chooser, isTold)) {
            return world.run();
        }
    }

    /** @return the index of the first chooser whose run has a violation; -1 if there is none */
    private int firstViolation(int count, IntFunction<Chooser> choosers) {
        AtomicInteger next = new AtomicInteger();
        AtomicInteger first = new AtomicInteger(Integer.MAX_VALUE);
        Callable<Void> worker = () -> {
            try {
                for (int index = next.getAndIncrement();
                        index < Math.min(count, first.get())
                                && !Thread.currentThread().isInterrupted();
                        index = next.getAndIncrement()) {
                    if (run(choosers.apply(index)).violation() != null) {
                        first.accumulateAndGet(index, Math::min);
                    }
                }
            } catch (Throwable e) {
                next.set(count); // stops the other threads
                throw e;
            }
            return null;
        };
        ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "safebunny-simulation");
            thread.setDaemon(true);
            return thread;
        });
        try {
            for (Future<Void> done : threads.invokeAll(java.util.Collections.nCopies(THREADS, worker))) {
                done.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while exploring", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A run failed by itself", e.getCause());
        } finally {
            threads.shutdownNow();
        }
        return first.get() == Integer.MAX_VALUE ? -1 : first.get();
    }
}
