// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Cancellable;
import io.safebunny.time.Timeline.Purpose;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

/**
 * Runs Spring's scheduled tasks in the virtual time of a process. One-off tasks count as future work of the application, recurring ones as
 * upkeep that nobody waits for. Thread-safe.
 */
public final class VirtualTaskScheduler implements TaskScheduler {

    private static final Logger LOG = LoggerFactory.getLogger(VirtualTaskScheduler.class);

    private final SimulatedProcess process;
    private final Timeline timeline;
    private final Clock clock;

    public VirtualTaskScheduler(SimulatedProcess process) {
        this.process = process;
        this.timeline = process.timeline();
        this.clock = new VirtualClock(timeline, ZoneId.systemDefault());
    }

    @Override
    public Clock getClock() {
        return clock;
    }

    @Override
    public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
        SimpleTriggerContext context = new SimpleTriggerContext(clock);
        Instant first = trigger.nextExecution(context);
        if (first == null) {
            return null;
        }
        return new Task(Purpose.UPKEEP, task, first, next -> {
            context.update(next.planned, next.began, timeline.now());
            return trigger.nextExecution(context);
        });
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, Instant start) {
        return new Task(Purpose.APPLICATION, task, start, next -> null);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant start, Duration period) {
        return new Task(Purpose.UPKEEP, task, start, next -> next.planned.plus(period));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
        return scheduleAtFixedRate(task, timeline.now(), period);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant start, Duration delay) {
        return new Task(Purpose.UPKEEP, task, start, next -> timeline.now().plus(delay));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
        return scheduleWithFixedDelay(task, timeline.now(), delay);
    }

    /** Computes when a task runs next; {@code null} for never. */
    @FunctionalInterface
    private interface Plan {
        @Nullable
        Instant after(Task run);
    }

    private final class Task implements ScheduledFuture<Object> {

        private final Purpose purpose;
        private final Runnable action;
        private final Plan plan;
        private final CompletableFuture<Object> done = new CompletableFuture<>();
        private volatile Instant planned;
        private volatile Instant began;
        private volatile Cancellable timer;

        Task(Purpose purpose, Runnable action, Instant first, Plan plan) {
            this.purpose = purpose;
            this.action = action;
            this.plan = plan;
            this.planned = first;
            this.began = first;
            this.timer = arm(first);
        }

        private Cancellable arm(Instant at) {
            Duration delay = Duration.between(timeline.now(), at);
            return timeline.schedule(purpose, delay.isNegative() ? Duration.ZERO : delay, () -> process.executor()
                    .execute(this::run));
        }

        private void run() {
            if (done.isDone()) {
                return;
            }
            began = timeline.now();
            try {
                action.run();
            } catch (RuntimeException e) {
                LOG.error("A scheduled task failed", e);
            }
            Instant next = plan.after(this);
            if (next == null) {
                done.complete("done");
            } else if (!done.isDone()) {
                planned = next;
                timer = arm(next);
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(Duration.between(timeline.now(), planned));
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            timer.cancel();
            return done.cancel(false);
        }

        @Override
        public boolean isCancelled() {
            return done.isCancelled();
        }

        @Override
        public boolean isDone() {
            return done.isDone();
        }

        @Override
        public Object get() throws InterruptedException, ExecutionException {
            return done.get();
        }

        @Override
        public Object get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            return timeline.await(done, Duration.of(timeout, unit.toChronoUnit()));
        }
    }
}
