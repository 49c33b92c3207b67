// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyOperations;
import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.Lack;
import io.safebunny.message.MessageTypes;
import io.safebunny.observation.Metrics;
import io.safebunny.time.Timeline;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The breakers of all types of one node. Thread-safe. */
public final class CircuitBreakers implements BunnyCircuitBreaker {

    private static final Logger LOG = LoggerFactory.getLogger(CircuitBreakers.class);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofDays(365);

    private final BreakerSettings settings;
    private final Timeline timeline;
    private final Map<String, TypeBreaker> byName = new ConcurrentHashMap<>();
    private final Map<Type, TypeBreaker> byPayload = new ConcurrentHashMap<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Queue<Change> untold = new ConcurrentLinkedQueue<>();
    private final SerialTask telling;

    /** @param callbacks calls the listeners */
    public CircuitBreakers(BreakerSettings settings, Timeline timeline, Executor callbacks) {
        this.settings = settings;
        this.timeline = timeline;
        this.telling = new SerialTask("notifying listeners of the circuit breakers", this::tell, callbacks, timeline);
    }

    /**
     * Adds a closed breaker for a type that this node handles. The breaker of one of SafeBunny's own types ignores the failure rate,
     * because the type serves all sagas of the node: a saga whose method fails must not pause the others.
     *
     * @param details how much of failures its {@link Status} shows
     */
    public TypeBreaker add(String type, Type payload, Metrics metrics, ExceptionDetails details) {
        BreakerSettings own = MessageTypes.isReserved(type) ? settings.withoutFailureRate() : settings;
        TypeBreaker breaker = new TypeBreaker(new StatusDetails(type, details, timeline), own, timeline, this::changed);
        byName.put(type, breaker);
        byPayload.put(payload, breaker);
        metrics.breakerState(type, () -> gaugeOf(breaker.state()));
        metrics.paused(type, "breaker", () -> breaker.state() == State.OPEN);
        metrics.paused(type, Lack.KEYS.cause(), () -> breaker.status().withoutKeysSince() != null);
        metrics.paused(type, Lack.BODIES.cause(), () -> breaker.status().withoutBodiesSince() != null);
        return breaker;
    }

    private static int gaugeOf(State state) {
        return switch (state) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
        };
    }

    /** Stops the breakers: from now on none changes by itself. */
    public void stop() {
        byName.values().forEach(TypeBreaker::stop);
    }

    @Override
    public void open(Duration duration) {
        requireInRange(duration);
        requireStarted().forEach(breaker -> breaker.open(duration, "opened by the application", true));
    }

    @Override
    public void open(Class<?> type, Duration duration) {
        requireInRange(duration);
        require(type).open(duration, "opened by the application", true);
    }

    @Override
    public void close() {
        requireStarted().forEach(breaker -> breaker.close("closed by the application"));
    }

    @Override
    public void close(Class<?> type) {
        require(type).close("closed by the application");
    }

    @Override
    public State state(Class<?> type) {
        return require(type).state();
    }

    @Override
    public Map<String, Status> statuses() {
        Map<String, Status> statuses = new TreeMap<>();
        byName.forEach((type, breaker) -> statuses.put(type, breaker.status()));
        return statuses;
    }

    /**
     * Keeps the type paused until {@link #release}. Replaces an earlier hold. No effect if this node does not handle the type.
     *
     * @param pause {@code null} if the type has not started
     */
    public void hold(String type, String reason, BunnyOperations.@Nullable Pause pause) {
        TypeBreaker breaker = byName.get(type);
        if (breaker != null) {
            breaker.hold(new StatusDetails.Hold(reason, pause));
        }
    }

    /** Ends a {@link #hold}, if there is one. */
    public void release(String type, String reason) {
        TypeBreaker breaker = byName.get(type);
        if (breaker != null) {
            breaker.release(reason);
        }
    }

    @Override
    public void addListener(Listener listener) {
        listeners.add(listener);
    }

    private static void requireInRange(Duration duration) {
        if (duration.compareTo(SHORTEST_PAUSE) < 0 || duration.compareTo(LONGEST_PAUSE) > 0) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid pause [duration=%s]: it must be 1 ms to 365 days. Call close to end a pause."
                            .formatted(duration));
        }
    }

    private Collection<TypeBreaker> requireStarted() {
        if (byName.isEmpty()) {
            throw new MisuseException(
                    MisuseException.TYPE,
                    "There is no type to pause or resume: the node has not started, or has no handler. Wait for ApplicationReadyEvent.");
        }
        return byName.values();
    }

    private TypeBreaker require(Class<?> type) {
        TypeBreaker breaker = byPayload.get(type);
        if (breaker == null) {
            throw new MisuseException(
                    MisuseException.TYPE,
                    "No handler of this node takes the type [class=%s]: it handles %s. Name the payload class of a @BunnyHandler method, after the node has started."
                            .formatted(type.getName(), new TreeMap<>(byName).keySet()));
        }
        return breaker;
    }

    /** Called for all changes in order, by one thread at a time. */
    private void changed(State before, Status now) {
        Instant lacking = now.lackingSince();
        // every two seconds; in between, messages that lack nothing may have been handled
        boolean isTriedAgain = lacking != null && (before != State.CLOSED || lacking.isBefore(now.since()));
        LOG.atLevel(isTriedAgain ? Level.DEBUG : now.state() == State.OPEN ? Level.WARN : Level.INFO)
                .log("Circuit breaker of {}: {} -> {}", now.type(), before, now);
        untold.add(new Change(now.type(), before, now.state(), String.valueOf(now.reason()), now.since()));
        telling.request();
    }

    private void tell() {
        for (Change change = untold.poll(); change != null; change = untold.poll()) {
            Change next = change;
            listeners.forEach(listener -> tell(listener, next));
        }
    }

    private static void tell(Listener listener, Change change) {
        try {
            listener.changed(change);
        } catch (Throwable e) { // an Error in one listener must not affect the others
            LOG.warn("A listener failed on {}", change, ExceptionDetails.TYPE_ONLY.logged(e));
        }
    }
}
