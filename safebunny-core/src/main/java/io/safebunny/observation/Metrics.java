// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.message.PoisonReason;

/**
 * Counters of what happened to messages. Tags come from this node's own handlers and classes, never from a message, so their
 * number is bounded. Thread-safe.
 */
public final class Metrics {

    private final MeterRegistry registry;

    public Metrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** {@code safebunny.retries}, stage {@code immediate}: a handler is tried again in memory. */
    public void retriedInMemory(String type) {
        registry.counter("safebunny.retries", "type", type, "stage", "immediate")
                .increment();
    }

    /** {@code safebunny.retries}, stage {@code delayed}: a message left the consumer and will come back. */
    public void retriedDelayed(String type) {
        registry.counter("safebunny.retries", "type", type, "stage", "delayed").increment();
    }

    /** {@code safebunny.poison}: a message was put into the poison queue. */
    public void poisoned(String type, PoisonReason reason) {
        registry.counter("safebunny.poison", "type", type, "reason", reason.wireName())
                .increment();
    }

    /** {@code safebunny.dedup}, outcome {@code hit}: a duplicate was acknowledged without being handled. */
    public void duplicateSuppressed(String type) {
        registry.counter("safebunny.dedup", "type", type, "outcome", "hit").increment();
    }

    /** {@code safebunny.dedup}, outcome {@code busy}: a duplicate arrived while the original is being handled. */
    public void duplicateBusy(String type) {
        registry.counter("safebunny.dedup", "type", type, "outcome", "busy").increment();
    }
}
