// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.dedup.DedupOptions;
import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Instances of a node that handle messages over a database, without a broker from which they would come. */
final class Instances {

    private Instances() {}

    static TransactionalJdbcMessageStore store(DataSource pool, JdbcStoreOptions options) {
        return new TransactionalJdbcMessageStore(pool, new JdbcTransactionManager(pool), options);
    }

    /** @param deliveryLimit how often a message may begin that never ends */
    static Deduplication over(MessageStore store, Timeline timeline, int deliveryLimit) {
        BoundedLog log = new BoundedLog(timeline, ExceptionDetails.FULL);
        return new Deduplication(
                store,
                new ConfirmedSender(
                        new MemoryTransport(new MemoryBroker(timeline, Runnable::run), TopologyOptions.defaults()),
                        timeline,
                        Runnable::run,
                        Duration.ofSeconds(5),
                        10),
                timeline,
                Runnable::run,
                new Metrics(new SimpleMeterRegistry()),
                new Events("billing", List.of(), Runnable::run, timeline, log),
                log,
                new DedupOptions(Duration.ofSeconds(30), deliveryLimit, Duration.ofDays(7)));
    }

    /** From elsewhere, and the first of its saga. */
    static Envelope message() {
        return EnvelopeReader.read(new WireMessage(
                "id",
                UUID.randomUUID().toString(),
                "Order",
                null,
                null,
                null,
                null,
                Map.of(),
                "{}".getBytes(StandardCharsets.UTF_8)));
    }
}
