// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where messages go, and how that goes at present. A destination that confirms nothing for a while, or refuses message after message, gets
 * few messages until it confirms one, so that it holds up no other. Thread-safe.
 */
final class Destinations {

    /** Without a confirm for so long a destination is silent. */
    static final Duration SILENCE = Duration.ofSeconds(2);

    /** So many refusals in a row are the destination's; so many messages it gets in each interval until it confirms. */
    static final int FEW = 20;

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final Timeline timeline;
    private final Duration interval;
    private final Map<Route, State> states = new HashMap<>();
    private boolean away;

    /** Exists as long as messages wait for their confirms, or the last one was not confirmed. */
    private static final class State {
        int waiting;
        /** When it last answered, or the first message began to wait. */
        long quietSince;

        int failures;
        long failingSince;
        long intervalBegan;
        int tries;

        State(long now) {
            intervalBegan = now;
        }
    }

    /** @param interval for the few messages that a destination gets which does not confirm */
    Destinations(Timeline timeline, Duration interval) {
        this.timeline = timeline;
        this.interval = interval;
    }

    /** Sends, and notes how that ends. */
    Function<OutboundMessage, CompletableFuture<Void>> watching(
            Function<OutboundMessage, CompletableFuture<Void>> sender) {
        return message -> {
            Route to = message.route();
            sends(to);
            try {
                return sender.apply(message).whenComplete((none, failure) -> answered(to, failure));
            } catch (RuntimeException | Error e) {
                answered(to, e);
                throw e;
            }
        };
    }

    private synchronized void sends(Route to) {
        long now = timeline.nanoTime();
        State state = states.computeIfAbsent(to, first -> new State(now));
        if (state.waiting++ == 0) {
            state.quietSince = now;
        }
    }

    private synchronized void answered(Route to, @Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        State state = Objects.requireNonNull(states.get(to), "Nothing was sent there");
        state.waiting--;
        if (cause == null) {
            state.failures = 0;
        } else if (!(cause instanceof ConnectionLostException) && state.failures++ == 0) { // which is the broker's
            state.failingSince = state.quietSince;
        }
        state.quietSince = timeline.nanoTime();
        if (state.waiting == 0 && state.failures == 0) {
            states.remove(to);
        }
        if (!(cause instanceof PublishTimeoutException)) { // which may mean either
            away = cause instanceof ConnectionLostException;
        }
    }

    /** Whether the broker is, so that nothing can be sent anywhere. */
    synchronized boolean isAway() {
        return away;
    }

    synchronized boolean isInTrouble(Route to) {
        State state = states.get(to);
        return state != null && isInTrouble(state);
    }

    private boolean isInTrouble(State state) {
        return state.failures >= FEW || (state.waiting > 0 && isOver(state.quietSince, SILENCE));
    }

    /** Whether a message may be sent there now. One that may counts as one of the few. */
    synchronized boolean mayTry(Route to) {
        State state = states.get(to);
        if (state == null || !isInTrouble(state)) {
            return true;
        }
        if (isOver(state.intervalBegan, interval)) {
            state.intervalBegan = timeline.nanoTime();
            state.tries = 0;
        }
        return state.tries++ < FEW;
    }

    /** How long a message waits that may not be sent there now: as long as the trouble has lasted, up to a minute. */
    synchronized Duration putOff(Route to) {
        State state = states.get(to);
        Duration putOff = interval;
        if (state != null) {
            long since = state.failures > 0 ? state.failingSince : state.quietSince;
            // doubled, so that there are few different times, which few statements write
            for (Duration twice = putOff.multipliedBy(2);
                    twice.compareTo(LONGEST) <= 0 && isOver(since, twice);
                    twice = putOff.multipliedBy(2)) {
                putOff = twice;
            }
        }
        return putOff;
    }

    private boolean isOver(long since, Duration duration) {
        return timeline.nanoTime() - since >= duration.toNanos();
    }
}
