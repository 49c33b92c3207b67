// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.failure.Printable;
import io.safebunny.message.PoisonReason;
import java.util.List;
import java.util.Locale;
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

    public Metrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** {@code safebunny.retries}, stage {@code immediate}: a handler is retried in memory. */
    public void retriedInMemory(String type) {
        count("safebunny.retries", "type", type, "stage", "immediate");
    }

    /** {@code safebunny.retries}, stage {@code delayed}: a message left the consumer and will come back. */
    public void retriedDelayed(String type) {
        count("safebunny.retries", "type", type, "stage", "delayed");
    }

    /** {@code safebunny.poison}: a message was put into the poison queue. */
    public void poisoned(String type, PoisonReason reason) {
        count("safebunny.poison", "type", type, "reason", reason.wireName());
    }

    /** {@code safebunny.dedup}, outcome {@code hit}: a duplicate was acknowledged without being handled. */
    public void duplicateSuppressed(String type) {
        count("safebunny.dedup", "type", type, "outcome", "hit");
    }

    /** {@code safebunny.dedup}, outcome {@code busy}: a duplicate arrived while the original is being handled. */
    public void duplicateBusy(String type) {
        count("safebunny.dedup", "type", type, "outcome", "busy");
    }

    /** {@code safebunny.dedup}, outcome {@code takeover}: a message whose claim fell silent is handled again. */
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

    /** {@code safebunny.dedup}, outcome {@code overtaken}: a message runs again, because another changed what it changes too. */
    public void overtaken(String type) {
        count("safebunny.dedup", "type", type, "outcome", "overtaken");
    }

    /** {@code safebunny.saga}: a saga has got to a status. */
    public void sagaBecame(String saga, String status) {
        count(
                "safebunny.saga",
                "type",
                saga,
                "state",
                status.toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    /** {@code safebunny.saga.active}: sagas that have not ended, as the store said last. */
    public void activeSagas(String saga, Supplier<Number> sagas) {
        measure("safebunny.saga.active", sagas, "type", saga);
    }

    /** {@code safebunny.saga.ignored}: a message changed nothing, because the saga has ended, has started, or a timeout was cancelled. */
    public void sagaIgnored(String saga, String reason) {
        count("safebunny.saga.ignored", "type", saga, "reason", reason);
    }

    /** {@code safebunny.breaker.state}: 0 closed, 1 half-open, 2 open. */
    public void breakerState(String type, Supplier<Number> state) {
        measure("safebunny.breaker.state", state, "type", type);
    }

    /** {@code safebunny.dispatch.waiting}: handled messages whose publications the broker refuses. */
    public void waitingForDispatch(Supplier<Number> messages) {
        measure("safebunny.dispatch.waiting", messages);
    }

    /** A failing registry or meter filter, even one that throws an {@code Error}, must not affect the node. */
    private void measure(String name, Supplier<Number> value, String... tags) {
        try {
            Gauge.builder(name, value).tags(tags).register(registry);
        } catch (RuntimeException | Error e) {
            LOG.warn("{} is not measured {}", name, List.of(tags), Printable.of(e));
        }
    }

    /** As {@link #measure}. */
    private void count(String name, String... tags) {
        try {
            registry.counter(name, tags).increment();
        } catch (RuntimeException | Error e) {
            LOG.warn("Counting {} failed", name, Printable.of(e));
        }
    }
}
