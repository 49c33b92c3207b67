// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.GetResponse;
import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.PublishOptions;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages with a deadline on a broker, which knows nothing of it. */
@Timeout(120)
class DeadlineIT {

    record Quote(String id) {}

    @BunnyMessage(expired = Expired.DROP)
    record Price(String id) {}

    record Offer(String id) {}

    private static final List<Class<?>> TYPES = List.of(Quote.class, Price.class, Offer.class);

    private final TestBroker broker = TestBroker.shared();
    private final Onlooker onlooker = new Onlooker(broker);
    private final String node = "late." + UUID.randomUUID().toString().substring(0, 8);
    private final List<String> runs = new CopyOnWriteArrayList<>();
    private volatile boolean failing;

    private NodeUnderTest start() {
        return NodeUnderTest.startWith(
                new InstanceOptions(node, broker, 3, 20, Duration.ZERO, true),
                bunny -> List.of(
                        handler(Quote.class),
                        handler(Price.class),
                        handler(Offer.class).withOnExpired((payload, context) -> runs.add("told"))));
    }

    private HandlerDefinition handler(Class<?> type) {
        HandlerInvoker invoker = (payload, context) -> {
            runs.add(type.getSimpleName());
            if (failing) {
                throw new IllegalStateException("as the test wants");
            }
        };
        return new HandlerDefinition(
                "late.on(" + type.getSimpleName() + ")",
                type.getSimpleName(),
                type,
                List.of(node),
                3,
                RecoveryPolicy.of(
                        RetryStrategy.none(), RetryStrategy.after(Duration.ofSeconds(1), Duration.ofHours(1))),
                invoker);
    }

    @AfterEach
    void deleteQueues() {
        onlooker.onBroker(channel -> {
            for (Class<?> type : TYPES) {
                channel.queueDelete(queue(type));
            }
            for (String own : List.of("-poison", "-dead-letters")) {
                channel.queueDelete(node + own);
            }
        });
    }

    private String queue(Class<?> type) {
        return node + '-' + type.getSimpleName();
    }

    private List<GetResponse> take(String queue) {
        List<GetResponse> taken = new ArrayList<>();
        onlooker.onBroker(channel -> {
            for (GetResponse next = channel.basicGet(queue, false);
                    next != null;
                    next = channel.basicGet(queue, false)) {
                taken.add(next);
            }
            if (!taken.isEmpty()) {
                channel.basicNack(taken.get(taken.size() - 1).getEnvelope().getDeliveryTag(), true, true);
            }
        });
        return taken;
    }

    private int length(String queue) {
        int[] length = {0};
        onlooker.onBroker(channel -> length[0] = (int) channel.messageCount(queue));
        return length[0];
    }

    private void publish(NodeUnderTest running, Instant deadline) {
        PublishOptions options = PublishOptions.none().withDeadline(deadline);
        for (Object payload : List.of(new Quote("1"), new Price("1"), new Offer("1"))) {
            assertThat(running.bunny().publish(payload, options).messageId()).isNotEmpty();
        }
    }

    @Test
    void whatWaitsTooLongEndsAsItsClassAndHandlerSay() {
        try (NodeUnderTest running = start()) {
            TYPES.forEach(type -> running.breaker().open(type, Duration.ofMinutes(10)));
            Instant deadline = Instant.now().plusSeconds(2);
            publish(running, deadline);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> TYPES.stream().allMatch(type -> length(queue(type)) == 1));
            assertThat(take(queue(Quote.class))).singleElement().satisfies(sent -> {
                assertThat(sent.getProps().getExpiration()).isNull();
                assertThat(sent.getProps().getHeaders()).containsEntry("sb-deadline", deadline.toEpochMilli());
            });
            await().atMost(Duration.ofSeconds(20)).until(() -> Instant.now().isAfter(deadline));

            running.breaker().close();

            await().atMost(Duration.ofSeconds(30)).until(() -> runs.contains("told") && length(node + "-poison") == 1);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> TYPES.stream().allMatch(type -> length(queue(type)) == 0));
            assertThat(runs).containsExactly("told");
            Map<String, Object> copy = take(node + "-poison").get(0).getProps().getHeaders();
            assertThat(copy).containsEntry("sb-deadline", deadline.toEpochMilli());
            assertThat(String.valueOf(copy.get("sb-poison-reason"))).isEqualTo("expired");
        }
    }

    /** The second attempt is in time, and keeps the deadline on its way through the ladder; the third would be an hour later. */
    @Test
    void whatWouldComeBackTooLateEndsAtOnce() {
        failing = true;
        try (NodeUnderTest running = start()) {
            publish(running, Instant.now().plusSeconds(60));

            await().atMost(Duration.ofSeconds(30)).until(() -> runs.contains("told") && length(node + "-poison") == 1);
            await().atMost(Duration.ofSeconds(30)).until(() -> runs.size() == 7);
            assertThat(runs).containsExactlyInAnyOrder("Quote", "Quote", "Price", "Price", "Offer", "Offer", "told");
            assertThat(length(node + "-poison")).isEqualTo(1);
        }
    }
}
