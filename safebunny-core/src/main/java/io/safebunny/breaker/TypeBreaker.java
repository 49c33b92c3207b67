// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.safebunny.BunnyCircuitBreaker.Change;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The breaker of one message type. Resilience4j keeps the failure rate and judges the probes; when a pause ends is decided here, on
 * the timeline. Thread-safe; no listener is called under the lock, and pacing a consumption does not block.
 */
public final class TypeBreaker {

    private final String type;
    private final BreakerSettings settings;
    private final Timeline timeline;
    private final Consumer<Change> listener;
    private final CircuitBreaker circuit;

    private @Nullable Consumption consumption;
    private Timeline.@Nullable Cancellable probing;
    private long openUntil;
    private int probes;

    /** Which stay in a state it is: results of messages from an earlier one say nothing about the present. */
    private int period;

    /** @param listener told under the lock, so it only notes the change */
    TypeBreaker(String type, BreakerSettings settings, Timeline timeline, Consumer<Change> listener) {
        this.type = type;
        this.settings = settings;
        this.timeline = timeline;
        this.listener = listener;
        this.circuit = CircuitBreaker.of(type, config(settings));
    }

    private static CircuitBreakerConfig config(BreakerSettings settings) {
        boolean byRate = settings.failureRateThreshold() > 0;
        return CircuitBreakerConfig.custom()
                .failureRateThreshold(byRate ? settings.failureRateThreshold() : 100)
                .slidingWindowSize(settings.slidingWindowSize())
                .minimumNumberOfCalls(settings.minimumNumberOfCalls())
                .permittedNumberOfCallsInHalfOpenState(settings.permittedNumberOfCallsInHalfOpenState())
                .build();
    }

    /** Sets the pace of this consumption from now on. */
    public synchronized void paces(Consumption paced) {
        consumption = paced;
        pace(
                switch (state()) {
                    case CLOSED -> Pace.FULL;
                    case HALF_OPEN -> Pace.ONE_BY_ONE;
                    case OPEN -> Pace.PAUSED;
                });
    }

    synchronized State state() {
        return switch (circuit.getState()) {
            case OPEN, FORCED_OPEN -> State.OPEN;
            case HALF_OPEN -> State.HALF_OPEN;
            default -> State.CLOSED;
        };
    }

    /** @param shorten whether what is left of a longer pause is given up */
    synchronized void open(Duration duration, String reason, boolean shorten) {
        long until = timeline.nanoTime() + duration.toNanos();
        if (state() == State.OPEN && !shorten && until - openUntil <= 0) {
            return;
        }
        State before = state();
        if (before != State.OPEN) {
            circuit.transitionToOpenState();
        }
        opened(before, until, reason);
    }

    private void opened(State before, long until, String reason) {
        cancelProbing();
        openUntil = until;
        int opening = ++period;
        probing = timeline.schedule(Duration.ofNanos(Math.max(0, until - timeline.nanoTime())), () -> probe(opening));
        pace(Pace.PAUSED);
        if (before != State.OPEN) {
            listener.accept(new Change(type, before, State.OPEN, reason));
        }
    }

    private synchronized void probe(int opening) {
        if (period != opening) {
            return;
        }
        period++;
        probes = 0;
        circuit.transitionToHalfOpenState();
        pace(Pace.ONE_BY_ONE);
        listener.accept(new Change(type, State.OPEN, State.HALF_OPEN, "the pause is over"));
    }

    synchronized void close(String reason) {
        State before = state();
        if (before == State.CLOSED) {
            return;
        }
        circuit.transitionToClosedState();
        closed(before, reason);
    }

    private void closed(State before, String reason) {
        cancelProbing();
        period++;
        pace(Pace.FULL);
        listener.accept(new Change(type, before, State.CLOSED, reason));
    }

    /** For good: changes nothing any more. */
    synchronized void stop() {
        cancelProbing();
        period++;
        consumption = null;
    }

    private void cancelProbing() {
        if (probing != null) {
            probing.cancel();
            probing = null;
        }
    }

    private void pace(Pace pace) {
        if (consumption != null) {
            consumption.pace(pace);
        }
    }

    /** Lets one message in. {@code null} when it must not be handled now. */
    public synchronized @Nullable Admission admit() {
        if (state() == State.OPEN || !circuit.tryAcquirePermission()) {
            return null;
        }
        if (state() == State.HALF_OPEN && ++probes == settings.permittedNumberOfCallsInHalfOpenState()) {
            pace(Pace.PAUSED); // until their results are known
        }
        return new Admission(period);
    }

    /** One message that was let in; owed one result. */
    public final class Admission {

        private final int admitted;

        private Admission(int admitted) {
            this.admitted = admitted;
        }

        public void succeeded() {
            synchronized (TypeBreaker.this) {
                if (admitted == period) {
                    State before = state();
                    circuit.onSuccess(0, TimeUnit.NANOSECONDS);
                    follow(before);
                }
            }
        }

        public void failed(Throwable failure) {
            synchronized (TypeBreaker.this) {
                if (failure instanceof ThrottledException throttled) {
                    open(throttled.delay(), "a handler is throttled", false);
                } else if (isTrouble(failure)) {
                    open(settings.waitDurationInOpenState(), String.valueOf(failure.getMessage()), false);
                } else if (admitted == period) {
                    State before = state();
                    if (saysNothing(failure)) {
                        release();
                    } else if (settings.failureRateThreshold() > 0 || before == State.HALF_OPEN) {
                        circuit.onError(0, TimeUnit.NANOSECONDS, failure);
                    }
                    follow(before);
                }
            }
        }
    }

    private void release() {
        circuit.releasePermission();
        if (state() == State.HALF_OPEN) {
            probes--;
            pace(Pace.ONE_BY_ONE);
        }
    }

    /** What Resilience4j decided on the last result. */
    private void follow(State before) {
        State now = state();
        if (now == before) {
            return;
        }
        if (now == State.OPEN) {
            String reason = before == State.HALF_OPEN
                    ? "the probes failed"
                    : "%s %% of the latest messages failed".formatted(settings.failureRateThreshold());
            opened(
                    before,
                    timeline.nanoTime() + settings.waitDurationInOpenState().toNanos(),
                    reason);
        } else {
            closed(before, "the probes succeeded");
        }
    }

    /** What every message of the type needs is missing: the next one would fare no better. */
    private static boolean isTrouble(Throwable failure) {
        return failure instanceof ConnectionLostException
                || failure instanceof PublishTimeoutException
                || (failure instanceof NotHandledException notHandled && notHandled.isTrouble());
    }

    /** A failure of this message alone. */
    private static boolean saysNothing(Throwable failure) {
        return failure instanceof PoisonMessageException
                || failure instanceof RetryLaterException
                || failure instanceof NotHandledException;
    }
}
