// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.test.scheduler.Agenda.Ready;
import io.safebunny.test.scheduler.Agenda.Running;
import io.safebunny.test.scheduler.Timers.Timer;
import io.safebunny.time.Timeline.Cancellable;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of several processes one at a time, in virtual time. Waiting and interrupted tasks keep their stacks while others run.
 * Time advances only when nothing else can happen. {@link Choices} decide which ready task runs next.
 *
 * <p>Methods that run something are for one thread at a time, outside of a run; everything else is thread-safe.
 */
public final class DeterministicScheduler implements AutoCloseable {

    private final Choices choices;
    private final Agenda agenda;
    private final OutsideChanges changes = new OutsideChanges();
    private final Turn turn;
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final SimulatedProcess outside = new SimulatedProcess(this, "(outside)", -1);

    /** Begins at {@link VirtualTimeline#START}. */
    public DeterministicScheduler(Choices choices) {
        this(VirtualTimeline.START, choices, Limits.DEFAULT);
    }

    public DeterministicScheduler(Instant start, Choices choices) {
        this(start, choices, Limits.DEFAULT);
    }

    public DeterministicScheduler(Instant start, Choices choices, Limits limits) {
        this.choices = choices;
        this.agenda = new Agenda(start, choices);
        this.turn = new Turn(agenda, changes, limits);
    }

    /**
     * Limits after which a run is given up.
     *
     * @param steps of one run
     * @param longestStep real time of one step, and of a wait for {@link Outside}
     */
    public record Limits(long steps, Duration longestStep) {
        /** 10 million steps, 30 s. */
        public static final Limits DEFAULT = new Limits(10_000_000, Duration.ofSeconds(30));
    }

    /** Starts a process. */
    public SimulatedProcess process(String name) {
        SimulatedProcess process = new SimulatedProcess(this, name, processes.size());
        processes.add(process);
        return process;
    }

    /** Sets the outside world that runs wait for; by default there is none. Call before the first run. */
    public void awaits(Outside other) {
        changes.awaits(other);
    }

    /** The current time. */
    public Instant now() {
        return agenda.now();
    }

    /** Time since the beginning. */
    public Duration elapsed() {
        return Duration.ofNanos(agenda.elapsed());
    }

    /** Number of steps so far. A step is the beginning or the continuation of a task. */
    public long steps() {
        return turn.steps();
    }

    /**
     * Runs until only future work of the application and upkeep are left. Time advances as far as the library waits for its own retries.
     *
     * @throws StandstillException if it does not end
     */
    public void runUntilIdle() {
        turn.run(Goal.IDLE);
    }

    /**
     * Advances time and runs everything due until then. Upkeep that has had no effect several times is skipped until something else
     * happens, or the time is reached.
     *
     * @throws StandstillException if the work of some moment never ends
     */
    public void advance(Duration duration) {
        turn.run(new Goal(agenda.elapsed() + duration.toNanos(), null));
    }

    /** Whether something would happen before the end of {@link #runUntilIdle}. */
    public boolean isIdle() {
        boolean nothingComes = !changes.isAwaited(); // asked first: what has arrived by then is seen below
        changes.take();
        return nothingComes && !isRunning() && !agenda.hasProgress();
    }

    /** Time until the application's next future work; {@code null} for none. */
    public @Nullable Duration nextApplicationTimer() {
        changes.take();
        return agenda.nextApplicationTimer();
    }

    /**
     * Ends all processes and releases their threads. A hanging task is interrupted and abandoned.
     *
     * @throws StandstillException if a task does not end although everything it calls throws {@link ProcessEndedError}
     */
    @Override
    public void close() {
        processes.forEach(SimulatedProcess::end);
        if (turn.interruptHanging()) {
            return;
        }
        changes.take();
        turn.unwind();
    }

    // ---- called by processes

    long nanoTime() {
        return agenda.elapsed();
    }

    void execute(SimulatedProcess process, Runnable task, boolean isNews) {
        enter(() -> agenda.add(
                new Ready(new Running(process, !isNews && turn.running().isUpkeep(), false), task, null)));
    }

    Cancellable schedule(SimulatedProcess process, Purpose purpose, Duration delay, Runnable task) {
        Timer[] added = new Timer[1];
        enter(() -> added[0] = agenda.schedule(purpose, delay, process, task));
        return () -> enter(() -> agenda.cancel(Objects.requireNonNull(added[0], "entered before")));
    }

    void end(SimulatedProcess process) {
        enter(() -> agenda.end(process));
        if (turn.isMine() && turn.running().process() == process) {
            leave(process);
        }
    }

    /** Leaves a process that has ended: never returns to its task. */
    void leave(SimulatedProcess process) {
        if (turn.isMine() && !turn.unwinds() && turn.running().process() == process) {
            turn.wait(new Stack(turn.running(), "has ended"));
        }
        throw new ProcessEndedError(process.name());
    }

    void point(SimulatedProcess process, String what) {
        if (canInterrupt() && choices.preempts(process, what)) {
            interrupt(what);
        }
    }

    boolean canInterrupt() {
        return turn.isMine() && !turn.unwinds() && !turn.running().isTimer() && agenda.hasReady();
    }

    void interrupt(String what) {
        if (canInterrupt()) {
            Stack stack = new Stack(turn.running(), what);
            turn.wake(stack);
            turn.wait(stack);
        }
    }

    void pause(SimulatedProcess process, Duration duration) {
        enter(() -> agenda.pause(process, duration, outside));
        if (turn.isMine() && !turn.unwinds() && turn.running().process() == process) {
            Stack stack = new Stack(turn.running(), "is paused");
            turn.wake(stack);
            turn.wait(stack);
        }
    }

    void await(SimulatedProcess process, CompletableFuture<?> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (future.isDone() || timeout.isZero() || timeout.isNegative()) {
            return;
        }
        if (!turn.isMine()) {
            awaitOutside(future, timeout);
            return;
        }
        Stack stack = new Stack(turn.running(), "waits");
        Timer timer = agenda.schedule(Purpose.PROGRESS, timeout, process, () -> turn.wake(stack));
        var unused = future.whenComplete((value, failure) -> enter(() -> turn.wake(stack)));
        try {
            turn.wait(stack);
        } finally {
            agenda.cancel(timer);
        }
    }

    /**
     * Waits on a thread that is not a task. If no run is in progress, runs tasks until the wait is over; otherwise it can only wait in real
     * time.
     */
    private void awaitOutside(CompletableFuture<?> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!isRunning()) {
            turn.run(new Goal(agenda.elapsed() + timeout.toNanos(), future));
        } else {
            Object unused = future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Whether a run is in progress, also between two turns. If this is true when asked from outside of a run, a task hangs, and nobody can
     * end it.
     */
    public boolean isRunning() {
        return turn.isRunning();
    }

    boolean hasTurn() {
        return turn.isMine();
    }

    /** Makes the change: now if this thread has the turn, otherwise when some thread next has it. */
    private void enter(Runnable change) {
        if (turn.isMine()) {
            change.run();
        } else {
            changes.add(change);
        }
    }
}
