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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of several processes one at a time, in virtual time. Waiting and interrupted tasks keep their stacks while others run.
 * Time advances only when nothing else can happen. {@link Choices} decide which ready task runs next.
 *
 * <p>Exactly one thread of a run has the turn. It passes the turn on only when its task waits or is interrupted, so most tasks run one
 * after another on one thread. Methods that run something are for one thread at a time, outside of a run; everything else is thread-safe.
 */
public final class DeterministicScheduler implements AutoCloseable {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "safebunny-simulated");
        thread.setDaemon(true);
        return thread;
    });

    private static final Duration PATIENCE = Duration.ofMillis(100);
    /** Between two looks at what is outside. */
    private static final Duration LOOK = Duration.ofMillis(5);

    private final Instant start;
    private final Choices choices;
    private final Limits limits;
    private final Agenda agenda;
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final Queue<Runnable> fromOutside = new ConcurrentLinkedQueue<>();

    // only the thread that has the turn uses these, and between two runs whoever makes the next one; both publish them
    private final Set<Stack> stacks = new LinkedHashSet<>();

    private Running running = Running.NOTHING;
    private Goal goal = Goal.UNWIND;
    private final SimulatedProcess outside = new SimulatedProcess(this, "(outside)", -1);
    private long stepsBefore;

    private volatile long steps;
    private volatile @Nullable Thread turn;
    private volatile @Nullable Run run;
    private volatile Outside beyond = Outside.NOTHING;
    /** Whoever has the turn waits for what is outside, and judges for itself how long. */
    private volatile boolean isLookingOutside;

    /** Begins at {@link VirtualTimeline#START}. */
    public DeterministicScheduler(Choices choices) {
        this(VirtualTimeline.START, choices, Limits.DEFAULT);
    }

    public DeterministicScheduler(Instant start, Choices choices) {
        this(start, choices, Limits.DEFAULT);
    }

    public DeterministicScheduler(Instant start, Choices choices, Limits limits) {
        this.start = start;
        this.choices = choices;
        this.limits = limits;
        this.agenda = new Agenda(choices);
    }

    /**
     * Limits beyond which a run is given up.
     *
     * @param steps of one run
     * @param longestStep real time of one step, and of a wait for {@link Outside}
     */
    public record Limits(long steps, Duration longestStep) {
        /** 10 million steps, 30 s. */
        public static final Limits DEFAULT = new Limits(10_000_000, Duration.ofSeconds(30));
    }

    /** One run, from its start until nothing more is to happen. */
    private static final class Run {
        final Thread caller = Thread.currentThread();
        volatile boolean isOver;
        volatile @Nullable Throwable failure;
    }

    /**
     * How far a run goes.
     *
     * @param until a moment; {@link Long#MAX_VALUE} for as long as the library waits for something to be tried again
     * @param future ends it, too
     */
    private record Goal(long until, @Nullable CompletableFuture<?> future) {
        static final Goal IDLE = new Goal(Long.MAX_VALUE, null);
        /** Time stands still, and waiting tasks get a {@link ProcessEndedError}. */
        static final Goal UNWIND = new Goal(Long.MIN_VALUE, null);

        boolean isIdle() {
            return until == Long.MAX_VALUE;
        }

        boolean unwinds() {
            return until == Long.MIN_VALUE;
        }

        boolean isReached() {
            return future != null && future.isDone();
        }
    }

    /** Starts a process. */
    public SimulatedProcess process(String name) {
        SimulatedProcess process = new SimulatedProcess(this, name, processes.size());
        processes.add(process);
        return process;
    }

    /** Sets what happens outside; nothing by default. Call before the first run. */
    public void awaits(Outside other) {
        beyond = other;
    }

    /** The current time. */
    public Instant now() {
        return start.plusNanos(agenda.elapsed());
    }

    /** Since the beginning. */
    public Duration elapsed() {
        return Duration.ofNanos(agenda.elapsed());
    }

    /** Number of steps so far: how often a task has begun or continued. */
    public long steps() {
        return steps;
    }

    /**
     * Runs until only future work of the application and upkeep are left. Time advances as far as the library waits for its own retries.
     *
     * @throws StandstillException if it does not end
     */
    public void runUntilIdle() {
        run(Goal.IDLE);
    }

    /**
     * Advances time and runs everything due until then. Upkeep that had no effect several times is skipped until something else happens or
     * the time is over.
     *
     * @throws StandstillException if a moment does not end
     */
    public void advance(Duration duration) {
        run(new Goal(agenda.elapsed() + duration.toNanos(), null));
    }

    /** Whether something would happen before the end of {@link #runUntilIdle}. */
    public boolean isIdle() {
        boolean nothingComes = !beyond.isAwaited(); // asked first: what has come until then is seen below
        takeWhatIsFromOutside();
        return nothingComes && !isRunning() && !agenda.hasProgress();
    }

    /** Time until the application's next future work; {@code null} for none. */
    public @Nullable Duration nextApplicationTimer() {
        takeWhatIsFromOutside();
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
        Thread hanging = turn;
        if (hanging != null) { // it will never pass the turn on
            goal = Goal.UNWIND;
            hanging.interrupt();
            return;
        }
        takeWhatIsFromOutside();
        for (Stack stack : List.copyOf(stacks)) {
            agenda.addAnyway(new Ready(stack.running, null, stack));
            run(Goal.UNWIND);
        }
    }

    // ---- called by processes

    long nanoTime() {
        return agenda.elapsed();
    }

    void execute(SimulatedProcess process, Runnable task, boolean isNews) {
        enter(() -> agenda.add(new Ready(new Running(process, !isNews && running.isUpkeep(), false), task, null)));
    }

    Cancellable schedule(SimulatedProcess process, Purpose purpose, Duration delay, Runnable task) {
        Timer[] added = new Timer[1];
        enter(() -> added[0] = agenda.schedule(purpose, delay, process, task));
        return () -> enter(() -> agenda.cancel(Objects.requireNonNull(added[0], "entered before")));
    }

    void end(SimulatedProcess process) {
        enter(() -> agenda.end(process));
        if (hasTurn() && running.process() == process) {
            leave(process);
        }
    }

    /** Never returns to a task whose process has ended. */
    void leave(SimulatedProcess process) {
        if (hasTurn() && !goal.unwinds() && running.process() == process) {
            wait(new Stack(running, "has ended"));
        }
        throw new ProcessEndedError(process.name());
    }

    void point(SimulatedProcess process, String what) {
        if (canInterrupt() && choices.preempts(process, what)) {
            interrupt(what);
        }
    }

    boolean canInterrupt() {
        return hasTurn() && !goal.unwinds() && !running.isTimer() && agenda.hasReady();
    }

    void interrupt(String what) {
        if (canInterrupt()) {
            Stack stack = new Stack(running, what);
            wake(stack);
            wait(stack);
        }
    }

    void pause(SimulatedProcess process, Duration duration) {
        enter(() -> agenda.pause(process, duration, outside));
        if (hasTurn() && !goal.unwinds() && running.process() == process) {
            Stack stack = new Stack(running, "is paused");
            wake(stack);
            wait(stack);
        }
    }

    void await(SimulatedProcess process, CompletableFuture<?> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (future.isDone() || timeout.isZero() || timeout.isNegative()) {
            return;
        }
        if (!hasTurn()) {
            awaitOutside(future, timeout);
            return;
        }
        Stack stack = new Stack(running, "waits");
        Timer timer = agenda.schedule(Purpose.PROGRESS, timeout, process, () -> wake(stack));
        var unused = future.whenComplete((value, failure) -> enter(() -> wake(stack)));
        try {
            wait(stack);
        } finally {
            agenda.cancel(timer);
        }
    }

    /** Who is not a task lets the others run until it need not wait any longer; beside a run it can only wait in real time. */
    private void awaitOutside(CompletableFuture<?> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!isRunning()) {
            run(new Goal(agenda.elapsed() + timeout.toNanos(), future));
        } else {
            Object unused = future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** Also between two turns. Asked from outside of a run: whether a task hangs, which nobody can end. */
    public boolean isRunning() {
        Run latest = run;
        return latest != null && !latest.isOver;
    }

    // ---- the turn

    boolean hasTurn() {
        return Thread.currentThread() == turn;
    }

    /** Now, or when somebody has the turn next. */
    private void enter(Runnable change) {
        if (hasTurn()) {
            change.run();
        } else {
            fromOutside.add(change);
            if (isLookingOutside) {
                LockSupport.unpark(turn);
            }
        }
    }

    private void wake(Stack stack) {
        if (!stack.isReady) {
            stack.isReady = true;
            agenda.add(new Ready(stack.running, null, stack));
        }
    }

    /** Lets others run until it is this stack's turn again. */
    private void wait(Stack stack) {
        stacks.add(stack);
        Ready next;
        try {
            next = next();
        } catch (Throwable e) { // nobody will wait there
            stack.isReady = true;
            stacks.remove(stack);
            throw e;
        }
        if (next == null || next.stack() != stack) {
            pass(next);
            while (!stack.goesOn) {
                LockSupport.park(this);
            }
            turn = stack.thread;
        }
        running = stack.running;
        stacks.remove(stack);
    }

    /** Of the thread that has it. */
    private void pass(@Nullable Ready next) {
        turn = null;
        if (next == null) {
            finish(null);
        } else if (next.stack() == null) {
            THREADS.execute(() -> loop(next));
        } else {
            next.stack().goesOn = true;
            LockSupport.unpark(next.stack().thread);
        }
    }

    private void loop(@Nullable Ready first) {
        try {
            turn = Thread.currentThread();
            Ready next = first == null ? next() : first;
            while (next != null && next.task() != null) {
                begin(next.running(), next.task());
                next = next();
            }
            pass(next);
        } catch (Throwable e) {
            turn = null;
            finish(e);
        }
    }

    private void begin(Running other, Runnable task) {
        running = other;
        try {
            task.run();
        } catch (ProcessEndedError e) {
            if (!goal.unwinds()) {
                throw e;
            }
        } finally {
            running = Running.NOTHING;
        }
    }

    /** The next task to run, if any. */
    private @Nullable Ready next() {
        do {
            takeWhatIsFromOutside();
            if (goal.isReached()) {
                return null;
            }
            if (agenda.hasReady()) {
                countStep();
                return agenda.take();
            }
        } while (somethingComes() || moveTime());
        return null;
    }

    private void countStep() {
        long step = steps + 1;
        steps = step;
        if (step - stepsBefore > limits.steps()) {
            throw standstill(
                    "Not idle after %s steps, at %s.%n%s".formatted(limits.steps(), now(), agenda.describe(stacks)));
        }
    }

    /** Recorded too, because the caller may catch it. */
    private StandstillException standstill(String message) {
        StandstillException failure = new StandstillException(message);
        Run current = run;
        if (current != null && current.failure == null) {
            current.failure = failure;
        }
        return failure;
    }

    private void takeWhatIsFromOutside() {
        for (Runnable change = fromOutside.poll(); change != null; change = fromOutside.poll()) {
            change.run();
        }
    }

    /** @return whether anything may have come from outside, for which this waits as long as it is awaited */
    private boolean somethingComes() {
        if (goal.unwinds() || !beyond.isAwaited()) {
            return !fromOutside.isEmpty();
        }
        long since = System.nanoTime();
        isLookingOutside = true;
        try {
            while (fromOutside.isEmpty() && !goal.isReached() && beyond.isAwaited()) {
                if (System.nanoTime() - since > limits.longestStep().toNanos()) {
                    throw standstill("Nothing came for %s s of real time, but there is still to come: %s"
                            .formatted(limits.longestStep().toSeconds(), beyond.giveUp()));
                }
                LockSupport.parkNanos(this, LOOK.toNanos());
            }
        } finally {
            isLookingOutside = false;
        }
        return true;
    }

    /** @return false when nothing more is due: then it is as late as it was to become */
    private boolean moveTime() {
        if (goal.unwinds()) {
            return false;
        }
        return agenda.moveTime(goal.isIdle() ? agenda.nextProgress() : goal.until());
    }

    // ---- a run, from the outside

    private void run(Goal other) {
        if (isRunning()) {
            throw new IllegalStateException("A run is going on, and this is none of its tasks");
        }
        goal = other;
        stepsBefore = steps;
        Run begun = new Run();
        run = begun;
        THREADS.execute(() -> loop(null));
        awaitEnd(begun);
        Throwable failure = begun.failure;
        if (failure != null) {
            throw failure instanceof RuntimeException known
                    ? known
                    : new IllegalStateException("A task failed", failure);
        }
    }

    private void awaitEnd(Run begun) {
        long seen = steps;
        long since = System.nanoTime();
        while (!begun.isOver) {
            LockSupport.parkNanos(this, PATIENCE.toNanos());
            if (steps != seen || isLookingOutside) {
                seen = steps;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > limits.longestStep().toNanos()) {
                throw new StandstillException(Report.stuck(turn, limits.longestStep()));
            }
        }
    }

    private void finish(@Nullable Throwable failure) {
        Run ending = run;
        if (ending != null) {
            ending.failure = ending.failure == null ? failure : ending.failure;
            ending.isOver = true;
            LockSupport.unpark(ending.caller);
        }
    }
}
