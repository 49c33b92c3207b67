// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.safebunny.BunnyCircuitBreaker.Change;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.recovery.BreakerEffect;
import io.safebunny.recovery.BreakerEffect.Pause;
import io.safebunny.recovery.BreakerEffect.Result;
import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.Pace;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The breaker of one message type. Resilience4j keeps the failure rate while it is closed; probes are counted and pauses ended here, on
 * the timeline. Thread-safe; pacing a consumption does not block.
 */
public final class TypeBreaker {

    private static final float HALF = 50;

    private final String type;
    private final BreakerSettings settings;
    private final Timeline timeline;
    private final Consumer<Change> listener;
    private final CircuitBreaker rate;

    private State state = State.CLOSED;
    private @Nullable Consumption consumption;
    private Timeline.@Nullable Cancellable next;
    private long openUntil;

    /** What the state asks for; {@link #held} goes before it. */
    private Pace pace = Pace.FULL;

    /** Paused by an operator, whatever the state is. */
    private boolean held;

    /** Results of messages let in before it last opened for a new reason, or closed, say nothing about the present. */
    private int period;

    /** Since {@link #period} began. */
    private int succeeded;

    private int failed;

    /** Probes without a result, let in since it was last half-open. */
    private int awaited;

    /** @param listener told under the lock, so it only notes the change */
    TypeBreaker(String type, BreakerSettings settings, Timeline timeline, Consumer<Change> listener) {
        this.type = type;
        this.settings = settings;
        this.timeline = timeline;
        this.listener = listener;
        this.rate = CircuitBreaker.of(
                type,
                CircuitBreakerConfig.custom()
                        .failureRateThreshold(
                                settings.failureRateThreshold() > 0 ? settings.failureRateThreshold() : 100)
                        .slidingWindowSize(settings.slidingWindowSize())
                        .minimumNumberOfCalls(settings.minimumNumberOfCalls())
                        .recordResult(effect -> effect == Result.FAILURE)
                        .build());
    }

    /** Sets the pace of this consumption from now on. */
    public synchronized void paces(Consumption paced) {
        consumption = paced;
        pace(
                switch (state) {
                    case CLOSED -> Pace.FULL;
                    case HALF_OPEN -> Pace.ONE_BY_ONE;
                    case OPEN -> Pace.PAUSED;
                });
    }

    /** As others see it: open while an operator's pause lasts. */
    synchronized State state() {
        return held ? State.OPEN : state;
    }

    /** Nothing is let in until {@link #release}, whatever happens to the state. */
    synchronized void hold(String reason) {
        State before = state();
        held = true;
        pace(pace);
        tell(before, reason);
    }

    /** Goes on as the state says. */
    synchronized void release(String reason) {
        if (!held) {
            return;
        }
        State before = state();
        held = false;
        pace(pace);
        tell(before, reason);
    }

    /** @param shorten whether what is left of a longer pause is given up */
    synchronized void open(Duration duration, String reason, boolean shorten) {
        long until = timeline.nanoTime() + duration.toNanos();
        if (state == State.OPEN && !shorten && until - openUntil <= 0) {
            return;
        }
        begin();
        pause(until, reason);
    }

    /** Earlier results count no more. */
    private void begin() {
        period++;
        succeeded = 0;
        failed = 0;
        rate.reset();
    }

    private void pause(long until, String reason) {
        openUntil = until;
        change(State.OPEN, Pace.PAUSED, reason);
        after(Duration.ofNanos(Math.max(0, until - timeline.nanoTime())), this::probe);
    }

    private void probe() {
        awaited = 0;
        change(State.HALF_OPEN, Pace.ONE_BY_ONE, "the pause is over");
    }

    synchronized void close(String reason) {
        if (state != State.CLOSED) {
            begin();
            change(State.CLOSED, Pace.FULL, reason);
        }
    }

    private void change(State to, Pace pace, String reason) {
        State before = state();
        state = to;
        cancelNext();
        pace(pace);
        tell(before, reason);
    }

    private void tell(State before, String reason) {
        State after = state();
        if (before != after) {
            listener.accept(new Change(type, before, after, reason, timeline.now()));
        }
    }

    /** For good: changes nothing any more. */
    synchronized void stop() {
        cancelNext();
        consumption = null;
    }

    /** Instead of what was to come next. */
    private void after(Duration duration, Runnable step) {
        cancelNext();
        Timeline.Cancellable[] own = {() -> {}};
        own[0] = timeline.schedule(Purpose.APPLICATION, duration, () -> {
            synchronized (this) {
                if (next == own[0]) {
                    next = null;
                    step.run();
                }
            }
        });
        next = own[0];
    }

    private void cancelNext() {
        if (next != null) {
            next.cancel();
            next = null;
        }
    }

    private void pace(Pace wanted) {
        pace = wanted;
        if (consumption != null) {
            consumption.pace(held ? Pace.PAUSED : wanted);
        }
    }

    /** Lets one message in. {@code null} when it must not be handled now. */
    public synchronized @Nullable Admission admit() {
        if (held || state == State.OPEN) {
            return null;
        }
        if (state == State.HALF_OPEN) {
            int wanted = settings.permittedNumberOfCallsInHalfOpenState() - succeeded - failed;
            if (awaited >= wanted) {
                return null;
            }
            awaited++;
            if (awaited == wanted) {
                pace(Pace.PAUSED); // until their results are known
            }
            after(settings.waitDurationInOpenState(), this::giveUpWaiting);
        }
        return new Admission(period, state == State.HALF_OPEN);
    }

    /** Handlers that do not return must not keep it half-open; when they do return after all, it counts. */
    private void giveUpWaiting() {
        if (awaited > 0) {
            pause(
                    timeline.nanoTime() + settings.waitDurationInOpenState().toNanos(),
                    "%s probes have not returned".formatted(awaited));
        }
    }

    /** One message that was let in; owed one result. */
    public final class Admission {

        private final int admitted;
        private final boolean isProbe;

        private Admission(int admitted, boolean isProbe) {
            this.admitted = admitted;
            this.isProbe = isProbe;
        }

        public void succeeded() {
            synchronized (TypeBreaker.this) {
                if (admitted != period) {
                    return;
                }
                if (isProbe) {
                    probed(true);
                } else {
                    rate.onSuccess(0, TimeUnit.NANOSECONDS);
                    openAtRate(); // a success may be the one that completes the number
                }
            }
        }

        public void failed(BreakerEffect effect) {
            synchronized (TypeBreaker.this) {
                if (effect instanceof Pause pause) {
                    Duration asked = pause.duration();
                    open(asked == null ? settings.waitDurationInOpenState() : asked, pause.reason(), false);
                } else if (admitted == period && isProbe) {
                    probeFailed((Result) effect);
                } else if (admitted == period && effect == Result.FAILURE && settings.failureRateThreshold() > 0) {
                    rate.onResult(0, TimeUnit.NANOSECONDS, effect);
                    openAtRate();
                }
            }
        }

        private void probeFailed(Result result) {
            switch (result) {
                case FAILURE -> probed(false);
                case ANSWER -> probed(true);
                case NOTHING -> wasNoProbe();
            }
        }
    }

    /** The message was not handled: another one has to tell. */
    private void wasNoProbe() {
        if (state == State.HALF_OPEN) {
            awaited = Math.max(0, awaited - 1);
            pace(Pace.ONE_BY_ONE);
        }
    }

    private void probed(boolean success) {
        awaited = Math.max(0, awaited - 1);
        succeeded += success ? 1 : 0;
        failed += success ? 0 : 1;
        int permitted = settings.permittedNumberOfCallsInHalfOpenState();
        if (succeeded + failed < permitted) {
            return;
        }
        float limit = settings.failureRateThreshold() > 0 ? settings.failureRateThreshold() : HALF;
        if (100f * failed / permitted >= limit) {
            open(settings.waitDurationInOpenState(), failed + " of " + permitted + " probes failed", true);
        } else {
            close("the probes succeeded");
        }
    }

    private void openAtRate() {
        if (rate.getState() == CircuitBreaker.State.OPEN) {
            open(
                    settings.waitDurationInOpenState(),
                    "%s %% of the latest messages failed".formatted(settings.failureRateThreshold()),
                    false);
        }
    }
}
