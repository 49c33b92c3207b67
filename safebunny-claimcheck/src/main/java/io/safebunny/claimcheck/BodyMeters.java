// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.failure.details.Printable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counters {@code safebunny.claim} of bodies and {@code safebunny.claim.bytes} of their bytes, by store and outcome. A registry that fails
 * keeps nothing from being put or fetched. Thread-safe.
 */
public final class BodyMeters {

    private static final Logger LOG = LoggerFactory.getLogger(BodyMeters.class);

    private final MeterRegistry registry;

    public BodyMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    void put(String store, long bytes) {
        count(store, "put", bytes);
    }

    void fetched(String store, long bytes) {
        count(store, "fetched", bytes);
    }

    void missing(String store) {
        count(store, "missing", 0);
    }

    void unavailable(String store) {
        count(store, "unavailable", 0);
    }

    void deleted(String store, int bodies) {
        increment("safebunny.claim", store, "deleted", bodies);
    }

    private void count(String store, String outcome, long bytes) {
        increment("safebunny.claim", store, outcome, 1);
        if (bytes > 0) {
            increment("safebunny.claim.bytes", store, outcome, bytes);
        }
    }

    private void increment(String name, String store, String outcome, long by) {
        try {
            Counter.builder(name)
                    .tags("store", store, "outcome", outcome)
                    .register(registry)
                    .increment((double) by);
        } catch (RuntimeException | Error e) {
            LOG.debug("The counter {} failed", name, Printable.inLines(e));
        }
    }
}
