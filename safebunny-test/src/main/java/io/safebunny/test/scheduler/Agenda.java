// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import io.safebunny.test.scheduler.Timers.Timer;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that may run next, and the current time. Used by the thread that has the turn and, between runs, by the caller of the next run;
 * any thread may read the time.
 */
final class Agenda {

    /** After all upkeep has run this often without any effect, it is assumed to have none until something else happens. */
    private static final int QUIET_ROUNDS = 3;

    private static final int MOST_TOLD = 20;

    private final Instant start;
    private final Choices choices;
    private final List<Ready> ready = new ArrayList<>();
    private final Timers timers = new Timers();
    /** Tasks of paused processes. */
    private final Map<SimulatedProcess, List<Ready>> paused = new HashMap<>();
    /** Number of runs of upkeep since anything else happened. */
    private long quiet;

    private volatile long elapsed;

    Agenda(Instant start, Choices choices) {
        this.start = start;
        this.choices = choices;
    }

    /** The task that has the turn: its process, whether upkeep started it, and whether it is a timer, which cannot be interrupted. */
    record Running(@Nullable SimulatedProcess process, boolean isUpkeep, boolean isTimer) {
        static final Running NOTHING = new Running(null, false, true);
    }

    /** A task that may run: a new one, or one whose stack has waited. */
    record Ready(
            Running running,
            @Nullable Runnable task,
            @Nullable Stack stack) {}

    /** Nanoseconds since the beginning. */
    long elapsed() {
        return elapsed;
    }

    Instant now() {
        return start.plusNanos(elapsed);
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Removes and returns the next task to run. */
    Ready take() {
        return ready.remove(ready.size() == 1 ? 0 : choices.next(ready.size()));
    }

    /** Adds a task. Has no effect if the task's process has ended. */
    void add(Ready other) {
        if (!Objects.requireNonNull(other.running().process()).hasEnded()) {
            if (!other.running().isUpkeep()) {
                quiet = 0;
            }
            hold(other);
        }
    }

    /** Adds a task, even if its process has ended. */
    void addAnyway(Ready other) {
        ready.add(other);
    }

    private void hold(Ready other) {
        SimulatedProcess process = other.running().process();
        List<Ready> held = process == null ? null : paused.get(process);
        (held == null ? ready : held).add(other);
    }

    /** Pauses the process for this duration. */
    void pause(SimulatedProcess process, Duration duration, SimulatedProcess waker) {
        List<Ready> held = new ArrayList<>();
        paused.put(process, held);
        ready.removeIf(one -> one.running().process() == process && held.add(one));
        Timer unused = schedule(Purpose.PROGRESS, duration, waker, () -> goOn(process, held));
    }

    private void goOn(SimulatedProcess process, List<Ready> held) {
        if (paused.remove(process, held)) {
            held.forEach(this::add);
        }
    }

    /** Ends the process: none of its tasks runs again. */
    void end(SimulatedProcess process) {
        ready.removeIf(one -> one.running().process() == process);
        paused.remove(process);
        timers.forget(process);
    }

    Timer schedule(Purpose purpose, Duration delay, SimulatedProcess process, Runnable task) {
        return timers.add(purpose, elapsed + Math.max(0, delay.toNanos()), process, task);
    }

    void cancel(Timer timer) {
        timers.cancel(timer);
    }

    /** Whether anything will happen, now or later, besides future work of the application. */
    boolean hasProgress() {
        return hasReady() || timers.count(Purpose.PROGRESS) > 0;
    }

    /** Time until the application's next future work; {@code null} for none. */
    @Nullable
    Duration nextApplicationTimer() {
        Timer next = timers.first(Purpose.APPLICATION::equals);
        return next == null ? null : Duration.ofNanos(Math.max(0, next.due() - elapsed));
    }

    /** When the first timer that the library waits for is due; now if there is none. */
    long nextProgress() {
        Timer first = timers.first(Purpose.PROGRESS::equals);
        return first == null ? elapsed : first.due();
    }

    /**
     * Moves the time to the next timer that is due by then; if there is none, to that moment.
     *
     * @return false if nothing more is due: the time is then {@code until}
     */
    boolean moveTime(long until) {
        Timer next = timers.first(isQuiet() ? purpose -> purpose != Purpose.UPKEEP : purpose -> true);
        if (next == null || next.due() > until) {
            boolean laterUpkeep = elapsed < until && isQuiet();
            elapsed = Math.max(elapsed, until);
            return laterUpkeep && makeDueReady();
        }
        elapsed = Math.max(elapsed, next.due());
        return makeDueReady();
    }

    private boolean isQuiet() {
        return quiet > (long) QUIET_ROUNDS * timers.count(Purpose.UPKEEP);
    }

    /** @return whether anything was due */
    private boolean makeDueReady() {
        List<Timer> due = timers.due(elapsed);
        for (Timer timer : due) {
            boolean isUpkeep = timer.purpose() == Purpose.UPKEEP;
            quiet = isUpkeep ? quiet + 1 : 0;
            hold(new Ready(new Running(timer.process(), isUpkeep, true), timer.action(), null));
        }
        return !due.isEmpty();
    }

    /** The tasks that are still running, one line each; of each kind only the first ones. */
    String describe(Collection<Stack> waiting) {
        StringBuilder text = new StringBuilder();
        describe(text, "ready", ready.stream().map(one -> one.running().process()));
        describe(text, "waiting", waiting.stream());
        describe(text, "due", timers.all(Purpose.PROGRESS).stream());
        return text.toString();
    }

    private static void describe(StringBuilder text, String kind, Stream<?> all) {
        List<?> list = all.toList();
        list.stream()
                .limit(MOST_TOLD)
                .forEach(one -> text.append(kind).append(": ").append(one).append('\n'));
        if (list.size() > MOST_TOLD) {
            text.append(kind).append(": ").append(list.size() - MOST_TOLD).append(" more\n");
        }
    }
}
