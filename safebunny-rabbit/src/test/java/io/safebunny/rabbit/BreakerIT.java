// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.ThrottledException;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Types that are paused and resumed under load. */
@Timeout(120)
@Tag("once")
class BreakerIT {

    /** The type that is paused. */
    record Ping(int number) {}

    /** The other type. */
    record Pong(int number) {}

    /** Deliveries that failed more often than this would be set aside; the flapping is far above it. */
    private static final int LIMIT = 2;

    private static final int FLAPS = 40;

    private final RabbitBench rabbit = new RabbitBench();
    private final SystemTimeline timeline = new SystemTimeline("breaker");
    private final String node = "breaker." + UUID.randomUUID().toString().substring(0, 8);
    private final CircuitBreakers breaker =
            new CircuitBreakers(new BreakerSettings(50, 10, 10, Duration.ofMillis(500), 1), timeline, rabbit.workers());
    private final List<Integer> pings = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger pongs = new AtomicInteger();

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Ping", "Pong");
        timeline.close();
        rabbit.close();
    }

    private SafeBunnyEngine start(int prefetch, HandlerInvoker ping) {
        SafeBunnyParts parts = SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node)
                                .withTopology(TopologyOptions.defaults().withDeliveryLimit(LIMIT))
                                .withMaxMessageSize(1 << 20),
                        rabbit.transport(node),
                        timeline)
                .breakers(breaker)
                .build();
        SafeBunnyEngine engine = new SafeBunnyEngine(parts);
        engine.start(List.of(
                handler("Ping", Ping.class, prefetch, ping),
                handler("Pong", Pong.class, prefetch, (payload, context) -> pongs.incrementAndGet())));
        return engine;
    }

    private HandlerDefinition handler(String type, Type payload, int prefetch, HandlerInvoker invoker) {
        return new HandlerDefinition(
                type,
                type,
                payload,
                List.of(node),
                prefetch,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                invoker);
    }

    private void publish(SafeBunnyEngine engine, int pingsToSend) {
        List<CompletableFuture<Published>> sent = new ArrayList<>();
        for (int i = 0; i < pingsToSend; i++) {
            sent.add(engine.bunny().publishAsync(new Ping(i), PublishOptions.none()));
        }
        assertThat(CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)))
                .succeedsWithin(Duration.ofSeconds(30));
    }

    private void assertNothingWasSetAside() {
        rabbit.onBroker(channel -> {
            assertThat(channel.messageCount(node + "-poison")).isZero();
            assertThat(channel.messageCount(node + "-dead-letters")).isZero();
        });
    }

    /** Opens as soon as a few are handled, when the broker has just delivered many more. */
    private void flapUntilHandled(int messages) {
        for (int flap = 0; flap < FLAPS && pings.size() < messages; flap++) {
            int enough = pings.size() + 1 + flap % 3;
            breaker.close(Ping.class);
            await().pollInterval(Duration.ofMillis(1)).until(() -> pings.size() >= Math.min(enough, messages));
            breaker.open(Ping.class, Duration.ofHours(1));
        }
        breaker.close(Ping.class);
        await().atMost(Duration.ofSeconds(60)).until(() -> pings.size() >= messages);
    }

    @Test
    void flappingLosesNothingRepeatsNothingAndSetsNothingAside() {
        int messages = 20_000;
        SafeBunnyEngine engine = start(50, (payload, context) -> pings.add(((Ping) payload).number()));
        publish(engine, messages);

        flapUntilHandled(messages);

        engine.stop(Duration.ofSeconds(10));
        assertThat(pings).hasSize(messages);
        assertThat(new HashSet<>(pings)).hasSize(messages);
        assertNothingWasSetAside();
    }

    /** So fast that the same messages are on their way again and again, and refused each time. */
    @Test
    void flappingFasterThanTheBrokerUsesNoDeliveryUp() {
        int messages = 2_000;
        SafeBunnyEngine engine = start(50, (payload, context) -> pings.add(((Ping) payload).number()));
        breaker.open(Ping.class, Duration.ofHours(1));
        publish(engine, messages);

        for (int flap = 0; flap < 400; flap++) {
            breaker.close(Ping.class);
            long until = System.nanoTime() + flap % 8 * 500_000L;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            breaker.open(Ping.class, Duration.ofHours(1));
        }
        breaker.close(Ping.class);

        await().atMost(Duration.ofSeconds(60)).until(() -> pings.size() >= messages);
        engine.stop(Duration.ofSeconds(10));
        assertThat(new HashSet<>(pings)).hasSize(messages).hasSameSizeAs(pings);
        assertNothingWasSetAside();
    }

    /** A message that was on its way when its type was paused goes to the end; nothing else moves. */
    @Test
    void flappingReordersOnlyWhatTheBrokerHadDelivered() {
        int messages = 5_000;
        SafeBunnyEngine engine = start(1, (payload, context) -> pings.add(((Ping) payload).number()));
        breaker.open(Ping.class, Duration.ofHours(1));
        publish(engine, messages);

        flapUntilHandled(messages);

        engine.stop(Duration.ofSeconds(10));
        assertThat(new HashSet<>(pings)).hasSize(messages).hasSameSizeAs(pings);
        int highest = -1;
        int late = 0;
        for (int number : pings) {
            late += number < highest ? 1 : 0;
            highest = Math.max(highest, number);
        }
        assertThat(late).isLessThanOrEqualTo(FLAPS + 1);
    }

    @Test
    void aPausedTypeLeavesTheOthersAtFullSpeed() {
        SafeBunnyEngine engine = start(10, (payload, context) -> pings.add(((Ping) payload).number()));
        breaker.open(Ping.class, Duration.ofHours(1));
        publish(engine, 500);

        for (int i = 0; i < 500; i++) {
            engine.bunny().publish(new Pong(i));
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> pongs.get() == 500);

        rabbit.onBroker(
                channel -> assertThat(channel.messageCount(node + "-Ping")).isEqualTo(500));
        assertThat(pings).isEmpty();
        breaker.close(Ping.class);
        await().atMost(Duration.ofSeconds(20)).until(() -> pings.size() == 500);
        engine.stop(Duration.ofSeconds(10));
        assertNothingWasSetAside();
    }

    @Test
    void opensOnThrottlingProbesWithOneMessageAndResumes() {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger atOnce = new AtomicInteger();
        SafeBunnyEngine engine = start(10, (payload, context) -> {
            if (calls.incrementAndGet() == 1) {
                throw new ThrottledException(Duration.ofMillis(500));
            }
            if (breaker.state(Ping.class) == BunnyCircuitBreaker.State.HALF_OPEN) {
                atOnce.incrementAndGet();
            }
            pings.add(((Ping) payload).number());
        });

        publish(engine, 200);

        await().atMost(Duration.ofSeconds(20)).until(() -> pings.size() == 200);
        await().until(() -> breaker.state(Ping.class) == BunnyCircuitBreaker.State.CLOSED);
        assertThat(new HashSet<>(pings)).hasSize(200);
        assertThat(atOnce).hasValueLessThanOrEqualTo(1);
        engine.stop(Duration.ofSeconds(10));
        assertNothingWasSetAside();
    }
}
