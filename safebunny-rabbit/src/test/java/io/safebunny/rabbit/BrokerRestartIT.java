// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** The broker dies under a running node and comes back. */
@Timeout(180)
class BrokerRestartIT {

    private static final int MESSAGES = 2_000;

    /** A message with a number. */
    record Ping(int number) {}

    @Test
    void losesNothingAndHandlesNothingTwiceWhenTheBrokerIsKilledAndStartsAgain() {
        assumeTrue(
                RabbitNode.installedRoot().isPresent(),
                "Needs an installed RabbitMQ server to kill; bin/test installs one where there is no Docker");
        ExecutorService workers = Executors.newCachedThreadPool();
        try (RabbitNode broker = RabbitNode.start();
                SystemTimeline timeline = new SystemTimeline("restart")) {
            CachingConnectionFactory publish = factory(broker);
            CachingConnectionFactory consume = factory(broker);
            CachingConnectionFactory deadLetters = factory(broker);
            RabbitTransport transport = new RabbitTransport(
                    RabbitTransportOptions.defaults(),
                    new BrokerConnections(publish, consume, deadLetters),
                    workers,
                    timeline);
            Map<Integer, Integer> handled = new ConcurrentHashMap<>();
            SafeBunnyEngine engine = engine(transport, timeline);
            engine.start(List.of(handler(handled)));
            Bunny bunny = engine.bunny();
            bunny.publish(new Ping(0));
            broker.awaitRegistered("/", "restart-Ping");

            List<CompletableFuture<Published>> published = new ArrayList<>();
            for (int i = 1; i < MESSAGES; i++) {
                published.add(
                        bunny.publishAsync(new Ping(i), PublishOptions.none().withIdempotencyKey("ping-" + i)));
                if (i == MESSAGES / 2) {
                    broker.kill();
                    workers.execute(broker::restart);
                }
            }

            assertThat(CompletableFuture.allOf(published.toArray(CompletableFuture[]::new)))
                    .succeedsWithin(Duration.ofSeconds(90));
            await().atMost(Duration.ofSeconds(60)).until(() -> handled.size() == MESSAGES);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> engine.status().usable()); // each connection comes back by itself
            engine.stop(Duration.ofSeconds(10));
            assertThat(handled.values()).allMatch(times -> times == 1);
            publish.destroy();
            consume.destroy();
            deadLetters.destroy();
        } finally {
            workers.shutdownNow();
        }
    }

    private static CachingConnectionFactory factory(RabbitNode broker) {
        com.rabbitmq.client.ConnectionFactory client = new com.rabbitmq.client.ConnectionFactory();
        client.setHost(broker.broker().host());
        client.setPort(broker.broker().port());
        client.setUsername(broker.broker().username());
        client.setPassword(broker.broker().password());
        client.setAutomaticRecoveryEnabled(false);
        return new CachingConnectionFactory(client);
    }

    private static SafeBunnyEngine engine(RabbitTransport transport, SystemTimeline timeline) {
        SafeBunnyOptions options = SafeBunnyOptions.of("restart")
                .withPublishTimeout(Duration.ofSeconds(80))
                .withMaxMessageSize(1 << 20);
        return new SafeBunnyEngine(SafeBunnyParts.builder(options, transport, timeline)
                .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                .build());
    }

    private static HandlerDefinition handler(Map<Integer, Integer> handled) {
        return new HandlerDefinition(
                "restart.on(Ping)",
                "Ping",
                Ping.class,
                List.of("restart"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> handled.merge(((Ping) payload).number(), 1, Integer::sum));
    }
}
