// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the health of each destination. One that confirms nothing for a while, or refuses message after message, gets only a few messages
 * per interval until it confirms one, so that it does not hold up the others. Thread-safe.
 */
final class Destinations {

    /** A destination counts as silent after this time without a confirm. */
    static final Duration SILENCE = Duration.ofSeconds(2);

    /**
     * A destination is in trouble after this many failures in a row. It then gets this many messages per interval, until one is confirmed.
     */
    static final int FEW = 20;

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private static final int MOST_NAMED = 5;

    /** Twice as long as a refused row waits at most for its next try. */
    private static final Duration TOLD = Duration.ofMinutes(10);

    private final Timeline timeline;
    private final Duration interval;
    private final Map<Route, State> states = new HashMap<>();
    private boolean away;

    /** State of a destination. Kept while messages wait for their confirms, or if the last one failed. */
    private static final class State {
        int waiting;
        /** Time of the last confirm or failure, or when the first message began to wait. */
        long quietSince;

        int failures;
        long failingSince;
        long failedAt;
        String why = "";
        long intervalBegan;
        int tries;

        State(long now) {
            intervalBegan = now;
        }
    }

    /** @param interval in which a destination in trouble gets {@link #FEW} messages */
    Destinations(Timeline timeline, Duration interval) {
        this.timeline = timeline;
        this.interval = interval;
    }

    /** Wraps a sender to record how each message ends. */
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
        State state = Objects.requireNonNull(states.get(to), "nothing was sent to this destination");
        state.waiting--;
        if (cause == null) {
            state.failures = 0;
        } else if (!(cause instanceof ConnectionLostException)) { // a lost connection is the broker's failure
            state.why = why(cause);
            state.failedAt = timeline.nanoTime();
            if (state.failures++ == 0) {
                state.failingSince = state.quietSince;
            }
        }
        state.quietSince = timeline.nanoTime();
        if (state.waiting == 0 && state.failures == 0) {
            states.remove(to);
        }
        if (!(cause instanceof PublishTimeoutException)) { // a timeout may be the broker's failure or the destination's
            away = cause instanceof ConnectionLostException;
        }
    }

    /** Whether the broker is disconnected, so that nothing can be sent anywhere. */
    synchronized boolean isAway() {
        return away;
    }

    /** Why messages wait, as sentences with what to do, one for each destination that takes none now. */
    synchronized List<String> causes() {
        List<String> causes = new ArrayList<>();
        List<String> troubled = states.entrySet().stream()
                .filter(one -> hasFailedLately(one.getValue()) || isSilent(one.getValue()))
                .map(one -> "%s: %s.".formatted(one.getKey().routingKey(), told(one.getValue())))
                .sorted()
                .toList();
        causes.addAll(troubled.subList(0, Math.min(MOST_NAMED, troubled.size())));
        if (troubled.size() > MOST_NAMED) {
            causes.add("The same of %s more.".formatted(troubled.size() - MOST_NAMED));
        }
        return causes;
    }

    /** What failed longer ago has been tried again by now, by another instance. */
    private boolean hasFailedLately(State state) {
        return state.failures > 0 && !isOver(state.failedAt, TOLD);
    }

    private String told(State state) {
        return hasFailedLately(state)
                ? "%s (%s in a row)".formatted(state.why, state.failures)
                : "has confirmed nothing for %s s. Check its queue, and whether the broker is blocked"
                        .formatted(Duration.ofNanos(timeline.nanoTime() - state.quietSince)
                                .toSeconds());
    }

    private static String why(Throwable cause) {
        if (cause instanceof UnroutableException) {
            return "no queue is bound for it. Start the node that consumes it once, so that its queue exists";
        }
        if (cause instanceof NackedException) {
            return "the broker refuses it. Check the length limits and the health of its queues";
        }
        return cause instanceof PublishTimeoutException
                ? "was not confirmed in time. Check its queue, and whether the broker is blocked"
                : "fails with %s. The log has more".formatted(cause.getClass().getName());
    }

    synchronized boolean isInTrouble(Route to) {
        State state = states.get(to);
        return state != null && isInTrouble(state);
    }

    private boolean isInTrouble(State state) {
        return state.failures >= FEW || isSilent(state);
    }

    private boolean isSilent(State state) {
        return state.waiting > 0 && isOver(state.quietSince, SILENCE);
    }

    /** Whether a message may be sent there now. If the destination is in trouble, a permitted message counts towards {@link #FEW}. */
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

    /** How long to defer a message that may not be sent there now: about as long as the trouble has lasted, up to a minute. */
    synchronized Duration putOff(Route to) {
        State state = states.get(to);
        Duration putOff = interval;
        if (state != null) {
            long since = state.failures > 0 ? state.failingSince : state.quietSince;
            // doubled step by step, so that few different delays result and one statement can defer many rows
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
