// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.bodies;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Published;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.claimcheck.BodyMeters;
import io.safebunny.claimcheck.StoringClaimCheck;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.SchemaCreation;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.Codecs;
import io.safebunny.node.Compression;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** From one node to another. */
class LargeMessagesInDatabaseTest {

    private static final String PREFIX = "sblarge_";
    private static final long ABOVE = 1_000;

    private record Scanned(String text) {}

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final List<Object> handled = new ArrayList<>();

    private SafeBunnyEngine node(String name, HandlerDefinition... handlers) {
        SafeBunnyOptions options = SafeBunnyOptions.of(name);
        JdbcBodyStore bodies = new JdbcBodyStore(TestDatabase.H2.pool(), PREFIX, Duration.ofSeconds(10), timeline);
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        options, new MemoryTransport(broker, options.topology(), Runnable::run), timeline)
                .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                .codecs(new Codecs(
                        List.of(),
                        null,
                        Compression.NONE,
                        new StoringClaimCheck(
                                List.of(bodies),
                                null,
                                ABOVE,
                                Duration.ofDays(30),
                                timeline,
                                new BodyMeters(new SimpleMeterRegistry()))))
                .breakers(new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run))
                .callbacks(Runnable::run)
                .build());
        engine.start(List.of(handlers));
        return engine;
    }

    @Test
    void theBodyOfAMessageIsInTheDatabaseAndTheHandlerGetsIt() {
        SchemaCreation.run(TestDatabase.H2.pool(), JdbcSchema.of(TestDatabase.H2.pool(), PREFIX));
        SafeBunnyEngine archive = node(
                "archive",
                new HandlerDefinition(
                        "archive",
                        "Scanned",
                        Scanned.class,
                        List.of("scanner"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(2, Duration.ofMinutes(1))),
                        (message, context) -> handled.add(message)));
        Scanned large = new Scanned("page ".repeat(100_000));

        Published published = node("scanner").bunny().publish(large);
        timeline.advance(Duration.ofSeconds(1));

        assertThat(handled).containsExactly(large);
        assertThat(new JdbcTemplate(TestDatabase.H2.pool())
                        .queryForList("select body_key from sblarge_body", String.class))
                .singleElement()
                .satisfies(key -> assertThat(key).startsWith(Objects.requireNonNull(published.messageId())));
        archive.stop(Duration.ZERO);
    }
}
