// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.failure.details.Printable;
import io.safebunny.jdbc.outbox.rows.OutboxTable.Counted;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counter {@code safebunny.outbox} with outcome {@code sent} (right after the commit), {@code relayed} (later), {@code failed} (will be
 * retried) or {@code missing} (committed but not in the table); gauge {@code safebunny.outbox.backlog}, the number of rows at the relay's
 * last pass. Thread-safe.
 */
final class OutboxMetrics {

    static final int MOST_COUNTED = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(OutboxMetrics.class);
    private static final String NAME = "safebunny.outbox";

    private final MeterRegistry registry;
    private final AtomicInteger backlog = new AtomicInteger();
    private volatile @Nullable Seen seen;

    /** What the relay saw at its last pass, and when. */
    record Seen(Counted counted, Instant at) {}

    OutboxMetrics(MeterRegistry registry) {
        this.registry = registry;
        try {
            Gauge.builder(NAME + ".backlog", backlog, AtomicInteger::doubleValue)
                    .description("Unconfirmed messages in the outbox, counted up to " + MOST_COUNTED)
                    .strongReference(true)
                    .register(registry);
        } catch (RuntimeException | Error e) {
            LOG.warn("The gauge {}.backlog could not be registered", NAME, Printable.inLines(e));
        }
    }

    /** {@code null} before the relay's first pass. */
    @Nullable
    Seen seen() {
        return seen;
    }

    void backlog(Counted counted, Instant at) {
        backlog.set(counted.rows());
        seen = new Seen(counted, at);
    }

    void sent(int messages) {
        count("sent", messages);
    }

    void relayed(int messages) {
        count("relayed", messages);
    }

    void failed() {
        count("failed", 1);
    }

    void missing() {
        count("missing", 1);
    }

    /** A failing registry or meter filter, even one that throws an {@link Error}, must not affect the message. */
    private void count(String outcome, int messages) {
        if (messages == 0) {
            return;
        }
        try {
            registry.counter(NAME, "outcome", outcome).increment(messages);
        } catch (RuntimeException | Error e) {
            LOG.warn("The counter {} could not be incremented", NAME, Printable.inLines(e));
        }
    }
}
