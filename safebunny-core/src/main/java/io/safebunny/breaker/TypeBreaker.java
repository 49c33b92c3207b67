// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.safebunny.BunnyCircuitBreaker.Failure;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.recovery.BreakerEffect;
import io.safebunny.recovery.BreakerEffect.Result;
import io.safebunny.recovery.Ending;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The breaker of one message type. Resilience4j keeps the failure rate while it is closed; probes are counted and pauses ended here, on
 * the timeline. Thread-safe; pacing a consumption does not block.
 */
public final class TypeBreaker {

    private final BreakerSettings settings;
    private final Timeline timeline;
    private final BiConsumer<State, Status> listener;
    private final Told told;
    private final FailureRate rate;
    private final Probes probes;

    private State state = State.CLOSED;
    private @Nullable Consumption consumption;
    private Timeline.@Nullable Cancellable next;
    private long openUntil;

    /** What the state asks for; {@link #held} goes before it. */
    private Pace pace = Pace.FULL;

    /** By an operator, or from the start, whatever the state is. */
    private Told.@Nullable Hold held;

    /** Results of messages let in before it last opened for a new reason, or closed, say nothing about the present. */
    private int period;

    /** @param listener told what it was before and what it is, under the lock, so it only notes the change */
    TypeBreaker(Told told, BreakerSettings settings, Timeline timeline, BiConsumer<State, Status> listener) {
        this.told = told;
        this.settings = settings;
        this.timeline = timeline;
        this.listener = listener;
        this.rate = new FailureRate(settings);
        this.probes = new Probes(settings);
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
        return held == null ? state : State.OPEN;
    }

    synchronized Status status() {
        return told.status(state, held, rate.percent());
    }

    /** Nothing is let in until {@link #release}, whatever happens to the state. */
    synchronized void hold(Told.Hold hold) {
        State before = state();
        held = hold;
        pace(pace);
        tell(before);
    }

    /** Goes on as the state says. */
    synchronized void release(String why) {
        if (held == null) {
            return;
        }
        State before = state();
        held = null;
        pace(pace);
        if (state != State.OPEN) {
            told.because(why);
        }
        tell(before);
    }

    /** @param shorten whether what is left of a longer pause is given up */
    synchronized void open(Duration duration, String why, boolean shorten) {
        open(duration, why, shorten, null);
    }

    private void open(Duration duration, String why, boolean shorten, @Nullable Float percent) {
        long until = timeline.nanoTime() + duration.toNanos();
        if (state == State.OPEN && !shorten && until - openUntil <= 0) {
            return;
        }
        begin();
        told.opensAt(percent);
        pause(until, why);
    }

    /** Earlier results count no more. */
    private void begin() {
        period++;
        probes.forget();
        rate.reset();
    }

    private void pause(long until, String why) {
        openUntil = until;
        Duration left = Duration.ofNanos(Math.max(0, until - timeline.nanoTime()));
        told.opens(left);
        change(State.OPEN, Pace.PAUSED, why);
        after(left, this::probe);
    }

    private void probe() {
        probes.begin();
        change(State.HALF_OPEN, Pace.ONE_BY_ONE, "the pause is over: " + told.reason());
    }

    synchronized void close(String why) {
        if (state != State.CLOSED) {
            begin();
            told.closes();
            change(State.CLOSED, Pace.FULL, why);
        }
    }

    private void change(State to, Pace pace, String why) {
        State before = state();
        state = to;
        told.because(why);
        cancelNext();
        pace(pace);
        tell(before);
    }

    private void tell(State before) {
        if (before != state()) {
            told.hasChanged();
            listener.accept(before, status());
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
            consumption.pace(held == null ? wanted : Pace.PAUSED);
        }
    }

    /** Lets one message in. {@code null} when it must not be handled now. */
    public synchronized @Nullable Admission admit() {
        if (held != null || state == State.OPEN) {
            return null;
        }
        if (state == State.HALF_OPEN) {
            if (!probes.isRoom()) {
                return null;
            }
            probes.letIn();
            if (!probes.isRoom()) {
                pace(Pace.PAUSED); // until their results are known
            }
            after(settings.waitDurationInOpenState(), this::giveUpWaiting);
        }
        return new Admission(period, state == State.HALF_OPEN);
    }

    /** Handlers that do not return must not keep it half-open; when they do return after all, it counts. */
    private void giveUpWaiting() {
        if (probes.awaited() > 0) {
            pause(
                    timeline.nanoTime() + settings.waitDurationInOpenState().toNanos(),
                    "%s probes have not returned".formatted(probes.awaited()));
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

        public void ended(Ending ending) {
            if (ending instanceof Ending.Failed failed) {
                failed(failed);
            } else {
                succeeded();
            }
        }

        private void succeeded() {
            synchronized (TypeBreaker.this) {
                if (admitted != period) {
                    return;
                }
                if (isProbe) {
                    probed(true);
                } else {
                    rate.note(true);
                    openAtRate(); // a success may be the one that completes the number
                }
            }
        }

        private void failed(Ending.Failed ending) {
            BreakerEffect effect = ending.breaker();
            boolean counts = effect instanceof BreakerEffect.Pause || effect == Result.FAILURE;
            Failure seen = counts ? told.seen(ending.failure()) : null;
            synchronized (TypeBreaker.this) {
                if (seen != null && (admitted == period || effect instanceof BreakerEffect.Pause)) {
                    told.failed(seen);
                }
                if (effect instanceof BreakerEffect.Pause pause) {
                    Duration asked = pause.duration();
                    open(asked == null ? settings.waitDurationInOpenState() : asked, pause.reason(), false);
                } else if (admitted == period && isProbe) {
                    probeFailed((Result) effect);
                } else if (admitted == period && counts) {
                    rate.note(false);
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

    private void wasNoProbe() {
        if (state == State.HALF_OPEN) {
            probes.wasNone();
            pace(Pace.ONE_BY_ONE);
        }
    }

    private void probed(boolean success) {
        probes.returned(success);
        if (!probes.areDone()) {
            return;
        }
        if (probes.haveFailed()) {
            open(settings.waitDurationInOpenState(), probes.toString(), true, probes.percent());
        } else {
            close("the probes succeeded");
        }
    }

    private void openAtRate() {
        if (rate.isReached()) {
            Float percent = rate.percent();
            open(
                    settings.waitDurationInOpenState(),
                    String.format(Locale.ROOT, "%.1f %% of the latest messages failed", percent),
                    false,
                    percent);
        }
    }
}
