// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import io.safebunny.test.scheduler.Agenda.Ready;
import io.safebunny.test.scheduler.Agenda.Running;
import io.safebunny.test.scheduler.DeterministicScheduler.Limits;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Exactly one thread of a run has the turn. It passes the turn on only when its task waits or is interrupted, so most tasks run one after
 * another on one thread.
 */
final class Turn {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "safebunny-simulated");
        thread.setDaemon(true);
        return thread;
    });

    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final Agenda agenda;
    private final OutsideChanges changes;
    private final Limits limits;

    // used only by the thread that has the turn and, between two runs, by the caller of the next one; handing over
    // makes them visible
    private final Set<Stack> stacks = new LinkedHashSet<>();
    private Running running = Running.NOTHING;
    private Goal goal = Goal.UNWIND;
    private long stepsBefore;

    private volatile long steps;
    private volatile @Nullable Thread holder;
    private volatile @Nullable Run run;

    Turn(Agenda agenda, OutsideChanges changes, Limits limits) {
        this.agenda = agenda;
        this.changes = changes;
        this.limits = limits;
    }

    /** One run, from its start until its goal is reached or nothing more happens. */
    private static final class Run {
        final Thread caller = Thread.currentThread();
        volatile boolean isOver;
        volatile @Nullable Throwable failure;
    }

    // ---- who has it

    boolean isMine() {
        return Thread.currentThread() == holder;
    }

    /** The task that the thread with the turn is running. */
    Running running() {
        return running;
    }

    boolean unwinds() {
        return goal.unwinds();
    }

    long steps() {
        return steps;
    }

    /**
     * Whether a run is in progress, also between two turns. If this is true when asked from outside of a run, a task hangs, and nobody can
     * end it.
     */
    boolean isRunning() {
        Run latest = run;
        return latest != null && !latest.isOver;
    }

    /** Interrupts a task that hangs; such a task never passes the turn on. */
    boolean interruptHanging() {
        Thread hanging = holder;
        if (hanging == null) {
            return false;
        }
        goal = Goal.UNWIND;
        hanging.interrupt();
        return true;
    }

    /** Ends each waiting task. */
    void unwind() {
        for (Stack stack : List.copyOf(stacks)) {
            agenda.addAnyway(new Ready(stack.running, null, stack));
            run(Goal.UNWIND);
        }
    }

    // ---- how it is passed on

    void wake(Stack stack) {
        if (!stack.isReady) {
            stack.isReady = true;
            agenda.add(new Ready(stack.running, null, stack));
        }
    }

    /** Lets others run until it is this stack's turn again. */
    void wait(Stack stack) {
        stacks.add(stack);
        Ready next;
        try {
            next = next();
        } catch (Throwable e) { // the stack will not wait
            stack.isReady = true;
            stacks.remove(stack);
            throw e;
        }
        if (next == null || next.stack() != stack) {
            pass(next);
            while (!stack.goesOn) {
                LockSupport.park(this);
            }
            holder = stack.thread;
        }
        running = stack.running;
        stacks.remove(stack);
    }

    /** Passes the turn on. Called by the thread that has it. */
    private void pass(@Nullable Ready next) {
        holder = null;
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
            holder = Thread.currentThread();
            Ready next = first == null ? next() : first;
            while (next != null && next.task() != null) {
                begin(next.running(), next.task());
                next = next();
            }
            pass(next);
        } catch (Throwable e) {
            holder = null;
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

    /** Takes the next task to run; {@code null} if there is none, or the goal is reached. */
    private @Nullable Ready next() {
        do {
            changes.take();
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
            throw standstill("Not idle after %s steps, at %s.%n%s"
                    .formatted(limits.steps(), agenda.now(), agenda.describe(stacks)));
        }
    }

    /** Makes the exception, and records it for the run, because the caller may catch it. */
    private StandstillException standstill(String message) {
        StandstillException failure = new StandstillException(message);
        Run current = run;
        if (current != null && current.failure == null) {
            current.failure = failure;
        }
        return failure;
    }

    /**
     * Waits for something from outside, as long as anything is awaited.
     *
     * @return whether anything may have come
     */
    private boolean somethingComes() {
        if (goal.unwinds() || !changes.isAwaited()) {
            return changes.hasAny();
        }
        changes.await(goal::isReached, limits.longestStep(), this::standstill);
        return true;
    }

    /** @return false if nothing more is due until the end of the run */
    private boolean moveTime() {
        return !goal.unwinds() && agenda.moveTime(goal.isIdle() ? agenda.nextProgress() : goal.until());
    }

    // ---- a run, from the outside

    void run(Goal other) {
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
            if (steps != seen || changes.isLookedFor()) {
                seen = steps;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > limits.longestStep().toNanos()) {
                throw new StandstillException(Report.stuck(holder, limits.longestStep()));
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
