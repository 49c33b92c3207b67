// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.autoconfigure.properties.BodiesProperties;
import io.safebunny.autoconfigure.properties.DedupProperties;
import io.safebunny.autoconfigure.properties.DelayProperties;
import io.safebunny.autoconfigure.properties.DelayedRetryProperties;
import io.safebunny.autoconfigure.properties.IdsProperties;
import io.safebunny.autoconfigure.properties.ListenerProperties;
import io.safebunny.autoconfigure.properties.PoisonProperties;
import io.safebunny.autoconfigure.properties.PublisherProperties;
import io.safebunny.autoconfigure.properties.RetryProperties;
import io.safebunny.autoconfigure.properties.SafeBunnyProperties;
import io.safebunny.autoconfigure.properties.SafeBunnyProperties.TransportKind;
import io.safebunny.autoconfigure.properties.StoreProperties;
import io.safebunny.autoconfigure.properties.TopologyProperties;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.node.AnswersTo;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.topology.QueueType;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

class PropertiesTest {

    private final Binder binder = new Binder(new MapConfigurationPropertySource(Map.ofEntries(
            Map.entry("safebunny.enabled", "false"),
            Map.entry("safebunny.node", "billing"),
            Map.entry("safebunny.transport", "memory"),
            Map.entry("safebunny.max-message-size", "64KB"),
            Map.entry("safebunny.operations.answers", "node"),
            Map.entry("safebunny.listener.prefetch", "250"),
            Map.entry("safebunny.listener.messages-per-transaction", "16"),
            Map.entry("safebunny.listener.batch-size", "50"),
            Map.entry("safebunny.listener.trusted-users[orders.eu]", "svc-orders"),
            Map.entry("safebunny.listener.rates.OrderPlaced", "400/min"),
            Map.entry("safebunny.publisher.user-id", "true"),
            Map.entry("safebunny.publisher.encoding", "gzip"),
            Map.entry("safebunny.bodies.compress-above", "1KB"),
            Map.entry("safebunny.bodies.compress-encrypted", "true"),
            Map.entry("safebunny.retry.max-retries", "5"),
            Map.entry("safebunny.retry.initial-interval", "1s"),
            Map.entry("safebunny.retry.multiplier", "1.5"),
            Map.entry("safebunny.retry.max-interval", "20s"),
            Map.entry("safebunny.retry.jitter", "0.2"),
            Map.entry("safebunny.delayed-retry.delays", "5s,1h"),
            Map.entry("safebunny.publisher.max-concurrency", "4"),
            Map.entry("safebunny.publisher.timeout", "10s"),
            Map.entry("safebunny.publisher.max-in-flight", "50"),
            Map.entry("safebunny.topology.prefix", "acme"),
            Map.entry("safebunny.topology.queue-type", "classic"),
            Map.entry("safebunny.topology.delivery-limit", "7"),
            Map.entry("safebunny.topology.management-uri", "http://broker:15672"),
            Map.entry("safebunny.poison.ttl", "30d"),
            Map.entry("safebunny.poison.max-length", "100000"),
            Map.entry("safebunny.poison.archive-ttl", "90d"),
            Map.entry("safebunny.poison.exception-details", "type-only"),
            Map.entry("safebunny.delay.strategy", "auto"),
            Map.entry("safebunny.ids.scheme", "marker-mask"),
            Map.entry("safebunny.ids.secret", "not long"),
            Map.entry("safebunny.store.type", "memory"),
            Map.entry("safebunny.dedup.retention", "1d"),
            Map.entry("safebunny.dedup.lease", "10s"))));

    @Test
    void areAllBound() {
        assertThat(bind("safebunny", SafeBunnyProperties.class))
                .isEqualTo(new SafeBunnyProperties(
                        false,
                        "billing",
                        TransportKind.MEMORY,
                        DataSize.ofKilobytes(64),
                        new SafeBunnyProperties.Operations(AnswersTo.NODE)));
        assertThat(bind("safebunny.listener", ListenerProperties.class))
                .isEqualTo(new ListenerProperties(
                        true, 250, 16, 50, Map.of("orders.eu", "svc-orders"), Map.of("OrderPlaced", "400/min")));
        assertThat(bind("safebunny.retry", RetryProperties.class))
                .isEqualTo(new RetryProperties(5, Duration.ofSeconds(1), 1.5, Duration.ofSeconds(20), 0.2));
        assertThat(bind("safebunny.delayed-retry", DelayedRetryProperties.class))
                .isEqualTo(new DelayedRetryProperties(List.of(Duration.ofSeconds(5), Duration.ofHours(1))));
        assertThat(bind("safebunny.publisher", PublisherProperties.class))
                .isEqualTo(new PublisherProperties(4, Duration.ofSeconds(10), 50, true, "gzip"));
        assertThat(bind("safebunny.bodies", BodiesProperties.class))
                .isEqualTo(new BodiesProperties(DataSize.ofKilobytes(1), true));
        assertThat(bind("safebunny.topology", TopologyProperties.class))
                .isEqualTo(new TopologyProperties("acme", QueueType.CLASSIC, 7, URI.create("http://broker:15672")));
        assertThat(bind("safebunny.poison", PoisonProperties.class))
                .isEqualTo(new PoisonProperties(
                        Duration.ofDays(30), 100_000L, Duration.ofDays(90), ExceptionDetails.TYPE_ONLY));
        assertThat(bind("safebunny.delay", DelayProperties.class)).isEqualTo(new DelayProperties(DelayStrategy.AUTO));
        assertThat(bind("safebunny.ids", IdsProperties.class))
                .isEqualTo(new IdsProperties(IdsProperties.Scheme.MARKER_MASK, "not long"));
        assertThat(bind("safebunny.store", StoreProperties.class))
                .isEqualTo(new StoreProperties(StoreProperties.Type.MEMORY));
        assertThat(bind("safebunny.dedup", DedupProperties.class))
                .isEqualTo(new DedupProperties(Duration.ofDays(1), Duration.ofSeconds(10)));
    }

    @Test
    void emptyListMeansNoDelayedRetries() {
        Nodes.memory().withPropertyValues("safebunny.delayed-retry.delays=").run(context -> assertThat(
                        context.getBean(DelayedRetryProperties.class).delays())
                .isEmpty());
    }

    private <T> T bind(String prefix, Class<T> type) {
        return binder.bind(prefix, type).get();
    }
}
