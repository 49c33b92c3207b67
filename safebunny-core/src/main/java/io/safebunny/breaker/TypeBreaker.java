// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.safebunny.BunnyCircuitBreaker.Failure;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.failure.MessageExpiredException;
import io.safebunny.failure.policy.BreakerEffect;
import io.safebunny.failure.policy.BreakerEffect.Result;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Lack;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.message.MessageTypes;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The breaker of one message type. While it is closed, Resilience4j keeps the failure rate. This class counts probes and ends pauses, on
 * the timeline. Thread-safe; pacing a consumption does not block.
 */
public final class TypeBreaker {

    private final BreakerSettings settings;
    private final Timeline timeline;
    private final BiConsumer<State, Status> listener;
    private final StatusDetails details;
    private final FailureRate rate;
    private final Probes probes;
    private final Pacing pacing = new Pacing();
    private final NextStep next;

    /** Completed while nothing is let in. */
    private CompletableFuture<Void> opened = new CompletableFuture<>();

    private State state = State.CLOSED;
    private long openUntil;

    /** Holds the type; takes precedence over the state. {@code null} if the type is not held. */
    private StatusDetails.@Nullable Hold held;

    /** Incremented when the breaker opens for a new reason or closes: the results of messages that were let in before no longer count. */
    private int period;

    /** @param listener receives the previous state and the current status. Called under the lock, so it must only note the change */
    TypeBreaker(
            StatusDetails details, BreakerSettings settings, Timeline timeline, BiConsumer<State, Status> listener) {
        this.details = details;
        this.settings = settings;
        this.timeline = timeline;
        this.listener = listener;
        this.rate = new FailureRate(settings);
        this.probes = new Probes(settings);
        this.next = new NextStep(timeline, this);
    }

    /** Sets the pace of this consumption from now on. */
    public synchronized void paces(Consumption paced) {
        pacing.follow(state);
        pacing.paces(paced);
    }

    /** The state that others see: open while the type is held. */
    synchronized State state() {
        return held == null ? state : State.OPEN;
    }

    synchronized Status status() {
        return details.status(state, held, rate.percent());
    }

    /** Has no more messages delivered while enough of them wait, whatever the state: those that were delivered are let in. */
    public synchronized void enough(boolean isEnough) {
        pacing.enough(isEnough);
    }

    /** Whether nothing is let in. */
    public synchronized boolean isOpen() {
        return state() == State.OPEN;
    }

    /** Completes when nothing is let in any more; it says nothing about what is let in after that. */
    public synchronized CompletableFuture<Void> opened() {
        return opened;
    }

    /** Lets nothing in until {@link #release}, whatever happens to the state. */
    synchronized void hold(StatusDetails.Hold hold) {
        State before = state();
        held = hold;
        pacing.hold(true);
        tell(before);
    }

    /** Ends the hold: from now on the state decides again. */
    synchronized void release(String why) {
        if (held == null) {
            return;
        }
        State before = state();
        held = null;
        pacing.hold(false);
        if (state != State.OPEN) {
            details.because(why);
        }
        tell(before);
    }

    /** @param shorten whether this pause also replaces one that would last longer */
    synchronized void open(Duration duration, String why, boolean shorten) {
        open(duration, why, shorten, null, null);
    }

    private void open(Duration duration, String why, boolean shorten, @Nullable Float percent, @Nullable Lack lack) {
        long until = timeline.nanoTime() + duration.toNanos();
        if (state == State.OPEN && !shorten && until - openUntil <= 0) {
            return;
        }
        begin();
        details.opensAt(percent);
        details.opensFor(lack);
        pause(until, why);
    }

    /** Begins a period: discards earlier results. */
    private void begin() {
        period++;
        probes.forget();
        rate.reset();
    }

    private void pause(long until, String why) {
        openUntil = until;
        Duration left = Duration.ofNanos(Math.max(0, until - timeline.nanoTime()));
        details.opens(left);
        change(State.OPEN, why);
        next.plan(left, this::probe);
    }

    private void probe() {
        probes.begin();
        change(State.HALF_OPEN, "the pause is over: " + details.reason());
    }

    synchronized void close(String why) {
        if (state != State.CLOSED) {
            begin();
            String told = details.lack() == null ? why : "a message could be read again: " + why;
            details.closes();
            change(State.CLOSED, told);
        }
    }

    private void change(State to, String why) {
        State before = state();
        state = to;
        details.because(why);
        next.cancel();
        pacing.follow(to);
        tell(before);
    }

    private void tell(State before) {
        if (before != state()) {
            if (state() == State.OPEN) {
                opened.complete(null);
            } else if (before == State.OPEN) {
                opened = new CompletableFuture<>();
            }
            details.hasChanged();
            listener.accept(before, status());
        }
    }

    /** Stops the breaker from changing by itself. */
    synchronized void stop() {
        next.cancel();
        pacing.paces(null);
    }

    /** Lets one message in; {@code null} if it must not be handled now. */
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
                pacing.want(Pace.PAUSED); // until the results of the probes are known
            }
            next.plan(settings.waitDurationInOpenState(), this::giveUpWaiting);
        }
        return new Admission(period, state == State.HALF_OPEN);
    }

    /** Like {@link #admit}, but also {@code null} while messages are let in as probes, because each probe must be handled on its own. */
    public synchronized @Nullable Admission admitUnlessProbing() {
        return isClosed() ? admit() : null;
    }

    /** Whether all messages are let in, and none as a probe. */
    public synchronized boolean isClosed() {
        return held == null && state == State.CLOSED;
    }

    /**
     * Opens the breaker again if probes do not return: handlers that never return must not keep it half-open. If one returns after all, its
     * result counts.
     */
    private void giveUpWaiting() {
        if (probes.awaited() > 0) {
            pause(
                    timeline.nanoTime() + settings.waitDurationInOpenState().toNanos(),
                    "%s probes have not returned".formatted(probes.awaited()));
        }
    }

    /** One message that was let in. Report its result once. */
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
            } else if (ending instanceof Ending.Handled handled && handled.expired() != null) {
                failed(handled.expired()); // its handler has failed, or did not run
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
                    openAtRate(); // a success may complete the minimum number of messages
                }
            }
        }

        private void failed(Ending.Failed ending) {
            BreakerEffect effect = effectOf(ending);
            boolean counts = effect instanceof BreakerEffect.Pause || effect == Result.FAILURE;
            Failure seen = counts || isFailure(ending.failure()) ? details.seen(ending.failure()) : null;
            synchronized (TypeBreaker.this) {
                if (seen != null && (admitted == period || effect instanceof BreakerEffect.Pause)) {
                    details.failed(seen);
                }
                if (effect instanceof BreakerEffect.Pause pause) {
                    Duration asked = pause.duration();
                    open(
                            asked == null ? settings.waitDurationInOpenState() : asked,
                            pause.reason(),
                            false,
                            null,
                            pause.lack());
                } else if (admitted == period && isProbe) {
                    switch ((Result) effect) {
                        case FAILURE -> probed(false);
                        case ANSWER -> probed(true);
                        case NOTHING -> wasNoProbe();
                    }
                } else if (admitted == period && counts) {
                    rate.note(false);
                    openAtRate();
                }
            }
        }
    }

    /** All sagas share SafeBunny's own types: that what one lacks is away must not hold the others. Its messages come back by themselves. */
    private BreakerEffect effectOf(Ending.Failed ending) {
        BreakerEffect effect = ending.breaker();
        boolean isOfOneSaga = effect instanceof BreakerEffect.Pause pause
                && pause.lack() != null
                && MessageTypes.isReserved(details.type());
        return isOfOneSaga ? Result.NOTHING : effect;
    }

    /** Whether it is one that people want to see: not that a message has to wait, or came too late. */
    private static boolean isFailure(Throwable failure) {
        return !(failure instanceof NotHandledException || failure instanceof MessageExpiredException);
    }

    private void wasNoProbe() {
        if (state == State.HALF_OPEN) {
            probes.wasNone();
            pacing.follow(state);
        }
    }

    private void probed(boolean success) {
        probes.returned(success);
        if (success && details.lack() != null) { // one message that could be read shows that it is back
            close("a probe succeeded");
            return;
        }
        if (!probes.areDone()) {
            return;
        }
        if (probes.haveFailed()) {
            open(settings.waitDurationInOpenState(), probes.toString(), true, probes.percent(), null);
        } else {
            close("the probes succeeded");
        }
    }

    private void openAtRate() {
        if (rate.isReached()) {
            open(settings.waitDurationInOpenState(), rate.toString(), false, rate.percent(), null);
        }
    }
}
