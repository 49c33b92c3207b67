// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.safebunny.failure.details.Printable;
import io.safebunny.message.PoisonReason;
import io.safebunny.saga.SagaStatus;
import io.safebunny.time.Timeline;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what happens to messages. Tags come from this node's own handlers and classes, never from a message, so their number is
 * bounded. Thread-safe.
 */
public final class Metrics {

    private static final Logger LOG = LoggerFactory.getLogger(Metrics.class);

    private final MeterRegistry registry;
    /** Meters whose failure has been logged. It is logged once, because it would recur for every message. */
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    private final BodySizes consumed;
    private final BodySizes published;
    private final Tallies tallies = new Tallies();

    public Metrics(MeterRegistry registry) {
        this.registry = registry;
        this.consumed = new BodySizes(registry, "consumed");
        this.published = new BodySizes(registry, "published");
    }

    /** What became of messages, apart from the registry. */
    public Tallies tallies() {
        return tallies;
    }

    /** Registers the counters of a type at 0, so that they exist before the first event. */
    public void register(String type, boolean remembers) {
        for (String stage : List.of("immediate", "delayed")) {
            register("safebunny.retries", "type", type, "stage", stage);
        }
        for (PoisonReason reason : PoisonReason.values()) {
            if (reason != PoisonReason.SHREDDED) { // never in a poison queue
                register("safebunny.poison", "type", type, "reason", reason.wireName());
            }
        }
        for (String outcome : List.of("dropped", "told")) {
            register("safebunny.expired", "type", type, "outcome", outcome);
        }
        register("safebunny.shredded", "type", type);
        register("safebunny.newer", "type", type);
        if (remembers) {
            for (String outcome : List.of("hit", "busy", "takeover", "reopened", "lost", "overtaken")) {
                register("safebunny.dedup", "type", type, "outcome", outcome);
            }
        }
    }

    /** Registers the counters of a type whose messages may share transactions. */
    public void registerShared(String type) {
        for (String outcome : List.of("committed", "left", "broken")) {
            register("safebunny.shared", "type", type, "outcome", outcome);
        }
    }

    /** Registers the counters of a saga. */
    public void registerSaga(String saga) {
        for (SagaStatus status : SagaStatus.values()) {
            register("safebunny.saga", "type", saga, "state", stateOf(status.name()));
        }
        for (String reason : List.of("late", "started", "stale")) {
            register("safebunny.saga.ignored", "type", saga, "reason", reason);
        }
    }

    /** Registers the counters of scheduled messages. */
    public void registerScheduled() {
        for (String outcome : List.of("scheduled", "moved", "cancelled", "published", "woken")) {
            register("safebunny.scheduled", "outcome", outcome);
        }
    }

    /** Registers the timers of observations, with the tags that Micrometer gives them. */
    void observing(String name, String type, String... outcomes) {
        quietly(name, () -> {
            LongTaskTimer.builder(name + ".active").tag("type", type).register(registry);
            for (String outcome : outcomes) {
                Timer.builder(name)
                        .tags("type", type, "outcome", outcome, "error", "none")
                        .register(registry);
            }
        });
    }

    /** The meters of messages of this type. */
    public MessageMeters consumed(String type, Timeline timeline) {
        return new MessageMeters(this, consumed, type, timeline);
    }

    /** {@code safebunny.body.size} of a publication. After 1,000 types the tag is {@code other}. */
    public void published(String type, byte[] body) {
        published.record(type, body);
    }

    /** A timer that ignores failures of the registry. */
    public SafeTimer timer(String name, String... tags) {
        Timer[] timer = new Timer[1];
        quietly(name, () -> timer[0] = registry.timer(name, tags));
        return new SafeTimer(timer[0]);
    }

    /** {@code safebunny.sender.inflight}: publications sent but not confirmed yet. */
    public void inFlight(Supplier<Number> messages) {
        measure("safebunny.sender.inflight", messages);
    }

    /** {@code safebunny.paused}: 1 while this cause keeps the type from being consumed. */
    public void paused(String type, String cause, BooleanSupplier paused) {
        measure("safebunny.paused", () -> paused.getAsBoolean() ? 1 : 0, "type", type, "cause", cause);
    }

    /**
     * The meters of a type with a rate.
     *
     * @param perSecond {@code safebunny.rate.limit}: messages that may begin just now
     * @param waiting {@code safebunny.rate.waiting}: messages that wait in place
     * @return {@code safebunny.rate.wait}: how long they wait
     */
    public SafeTimer rateLimited(String type, Supplier<Number> perSecond, Supplier<Number> waiting) {
        register("safebunny.rate.throttled", "type", type);
        measure("safebunny.rate.limit", perSecond, "type", type);
        measure("safebunny.rate.waiting", waiting, "type", type);
        return timer("safebunny.rate.wait", "type", type);
    }

    /** {@code safebunny.rate.throttled}: a handler was throttled, and the rate is lowered for a while. */
    public void throttled(String type) {
        count("safebunny.rate.throttled", "type", type);
    }

    /** {@code safebunny.poison.depth}: messages in the poison queue; {@code NaN} while unknown. */
    public void poisonDepth(String node, Supplier<Number> messages) {
        measure("safebunny.poison.depth", messages, "node", node);
    }

    /** {@code safebunny.retries}, stage {@code immediate}: a handler is retried in memory. */
    public void retriedInMemory(String type) {
        tallies.of(type).retried.increment();
        count("safebunny.retries", "type", type, "stage", "immediate");
    }

    /** {@code safebunny.retries}, stage {@code delayed}: a message left the consumer and will come back. */
    public void retriedDelayed(String type) {
        tallies.of(type).retried.increment();
        count("safebunny.retries", "type", type, "stage", "delayed");
    }

    /** Registers {@code safebunny.replay} at 0, for a node that has a poison queue. */
    public void registerReplays() {
        for (String outcome : List.of("moved", "refused")) {
            register("safebunny.replay", "outcome", outcome);
        }
    }

    /** {@code safebunny.replay}: a poison copy was sent back to its queue, or stayed because of its verdict. */
    public void replayed(boolean moved) {
        count("safebunny.replay", "outcome", moved ? "moved" : "refused");
    }

    /** {@code safebunny.poison}: a message was put into the poison queue. */
    public void poisoned(String type, PoisonReason reason) {
        Tallies.Counters counters = tallies.of(type);
        counters.setAside.increment();
        if (reason == PoisonReason.EXPIRED) {
            counters.expired.increment();
        }
        count("safebunny.poison", "type", type, "reason", reason.wireName());
    }

    /** {@code safebunny.expired}: an expired message was dropped, or told to the method for such messages. */
    public void expired(String type, boolean dropped) {
        tallies.of(type).expired.increment();
        count("safebunny.expired", "type", type, "outcome", dropped ? "dropped" : "told");
    }

    /** {@code safebunny.shredded}: a message was dropped because its person was erased. */
    public void shredded(String type) {
        count("safebunny.shredded", "type", type);
    }

    /** {@code safebunny.newer}: a message came back because this instance does not know the version of its body. */
    public void newer(String type) {
        count("safebunny.newer", "type", type);
    }

    /** {@code safebunny.dedup}, outcome {@code hit}: a duplicate was acknowledged without being handled. */
    public void duplicateSuppressed(String type) {
        count("safebunny.dedup", "type", type, "outcome", "hit");
    }

    /** {@code safebunny.dedup}, outcome {@code busy}: a duplicate arrived while the original is being handled. */
    public void duplicateBusy(String type) {
        count("safebunny.dedup", "type", type, "outcome", "busy");
    }

    /** {@code safebunny.dedup}, outcome {@code takeover}: a message is handled again, because the owner of its claim has fallen silent. */
    public void claimTakenOver(String type) {
        count("safebunny.dedup", "type", type, "outcome", "takeover");
    }

    /** {@code safebunny.dedup}, outcome {@code reopened}: a message that was set aside is handled again, because it was replayed. */
    public void reopened(String type) {
        count("safebunny.dedup", "type", type, "outcome", "reopened");
    }

    /** {@code safebunny.dedup}, outcome {@code lost}: a handler ended after its claim had been taken over. */
    public void claimLost(String type) {
        count("safebunny.dedup", "type", type, "outcome", "lost");
    }

    /**
     * {@code safebunny.dedup}, outcome {@code overtaken}: a message runs again, because another one changed the same records
     * first.
     */
    public void overtaken(String type) {
        count("safebunny.dedup", "type", type, "outcome", "overtaken");
    }

    /** {@code safebunny.shared}: messages that were meant to share a transaction, by the outcome. */
    public void shared(String type, String outcome, int messages) {
        quietly("safebunny.shared", () -> registry.counter("safebunny.shared", "type", type, "outcome", outcome)
                .increment(messages));
    }

    /** {@code safebunny.saga}: a saga reached a status. */
    public void sagaBecame(String saga, String status) {
        count("safebunny.saga", "type", saga, "state", stateOf(status));
    }

    private static String stateOf(String status) {
        return status.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@code safebunny.saga.active}: sagas that have not ended, according to the store's latest answer. */
    public void activeSagas(String saga, Supplier<Number> sagas) {
        measure("safebunny.saga.active", sagas, "type", saga);
    }

    /**
     * {@code safebunny.saga.ignored}: a message had no effect, because the saga had ended or was already started, or the timeout
     * was cancelled.
     */
    public void sagaIgnored(String saga, String reason) {
        count("safebunny.saga.ignored", "type", saga, "reason", reason);
    }

    /** {@code safebunny.scheduled}: what happened to a scheduled message. */
    public void scheduled(String outcome) {
        count("safebunny.scheduled", "outcome", outcome);
    }

    /**
     * The meters of a type whose messages are handled in order, according to the store's latest answer.
     *
     * @param held {@code safebunny.order.held}: order keys that wait for a message that was set aside
     * @param parked {@code safebunny.order.parked}: messages that wait in the store behind others of their keys
     * @param full {@code safebunny.order.full}: order keys of which no more may wait there
     * @param age {@code safebunny.order.held.age}: for how many seconds the oldest key has been held
     */
    public void order(
            String type, Supplier<Number> held, Supplier<Number> parked, Supplier<Number> full, Supplier<Number> age) {
        measure("safebunny.order.held", held, "type", type);
        measure("safebunny.order.parked", parked, "type", type);
        measure("safebunny.order.full", full, "type", type);
        measure("safebunny.order.held.age", age, "type", type);
    }

    /** {@code safebunny.breaker.state}: 0 closed, 1 half-open, 2 open. */
    public void breakerState(String type, Supplier<Number> state) {
        measure("safebunny.breaker.state", state, "type", type);
    }

    /** {@code safebunny.dispatch.waiting}: handled messages whose publications the broker refuses. */
    public void waitingForDispatch(Supplier<Number> messages) {
        measure("safebunny.dispatch.waiting", messages);
    }

    /** Registers a gauge. A failing registry or meter filter, even one that throws an {@code Error}, must not affect the node. */
    private void measure(String name, Supplier<Number> value, String... tags) {
        try {
            Gauge.builder(name, value).tags(tags).register(registry);
        } catch (RuntimeException | Error e) {
            LOG.warn("Registering {} {} failed; it is not measured", name, List.of(tags), Printable.inLines(e));
        }
    }

    /** Increments a counter; failures are ignored as in {@link #measure}. */
    private void count(String name, String... tags) {
        quietly(name, () -> registry.counter(name, tags).increment());
    }

    private void register(String name, String... tags) {
        quietly(name, () -> registry.counter(name, tags));
    }

    private void quietly(String name, Runnable measuring) {
        try {
            measuring.run();
        } catch (RuntimeException | Error e) {
            if (told.add(name)) {
                LOG.warn("Measuring {} failed", name, Printable.inLines(e));
            }
        }
    }
}
