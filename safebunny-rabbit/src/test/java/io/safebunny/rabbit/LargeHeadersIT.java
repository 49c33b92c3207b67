// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.GetResponse;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Headers of a foreign client, more and larger than ours may publish: all of them arrive, or the message is set aside with all of them. */
@Timeout(120)
class LargeHeadersIT {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final TestBroker broker = TestBroker.shared();
    private final Onlooker onlooker = new Onlooker(broker);
    private final String node = "headers." + UUID.randomUUID().toString().substring(0, 8);
    private final List<Map<String, Object>> seen = new CopyOnWriteArrayList<>();

    private NodeUnderTest start() {
        InstanceOptions options = new InstanceOptions(node, broker, 3, 20, Duration.ZERO, true);
        return NodeUnderTest.startWithRetries(options, 1, Duration.ofMillis(100), (payload, context) -> {
            seen.add(context.headers());
            throw new IllegalStateException("to see the headers of its retry and of its poison copy");
        });
    }

    @AfterEach
    void deleteQueues() {
        onlooker.onBroker(channel -> {
            channel.queueDelete(node + "-Job");
            channel.queueDelete(node + "-poison");
            channel.queueDelete(node + "-dead-letters");
        });
    }

    @Test
    void allOfThemReachTheHandlerItsRetryAndThePoisonQueue() {
        Map<String, Object> headers = headers(300, 250); // 79 KB

        try (NodeUnderTest running = start()) {
            publish(headers);
            AMQP.BasicProperties poison = poison();

            assertThat(running.status().usable()).isTrue();
            assertThat(seen).containsExactly(headers, headers);
            assertThat(text(poison, "sb-poison-reason")).isEqualTo("retries-exhausted");
            assertCopied(headers, poison);
            assertThat(poison.getHeaders()).containsKey("x-exception-stacktrace");
        }
    }

    @Test
    void whatItsCopiesCouldNotCarryIsSetAsideWithAllOfThem() {
        Map<String, Object> headers = headers(500, 245); // nearly all that a frame can hold

        try (NodeUnderTest running = start()) {
            publish(headers);
            AMQP.BasicProperties poison = poison();

            assertThat(running.status().usable()).isTrue();
            assertThat(seen).isEmpty();
            assertThat(text(poison, "sb-poison-reason")).isEqualTo("too-large");
            assertCopied(headers, poison);
        }
    }

    private static Map<String, Object> headers(int count, int length) {
        Map<String, Object> headers = new HashMap<>();
        for (int i = 0; i < count; i++) {
            headers.put("own-" + i, "x".repeat(length));
        }
        return headers;
    }

    private void publish(Map<String, Object> headers) {
        onlooker.onBroker(channel -> channel.basicPublish(
                "safebunny",
                node + "-Job",
                true,
                new AMQP.BasicProperties.Builder()
                        .type("Job")
                        .messageId(UUID.randomUUID().toString())
                        .correlationId(UUID.randomUUID().toString())
                        .deliveryMode(2)
                        .headers(headers)
                        .build(),
                "{\"id\":\"1\",\"kills\":false}".getBytes(StandardCharsets.UTF_8)));
    }

    private AMQP.BasicProperties poison() {
        GetResponse[] got = new GetResponse[1];
        await().atMost(SOON).ignoreExceptions().until(() -> {
            onlooker.onBroker(channel -> got[0] = channel.basicGet(node + "-poison", true));
            return got[0] != null;
        });
        return got[0].getProps();
    }

    private static void assertCopied(Map<String, Object> headers, AMQP.BasicProperties copy) {
        assertThat(copy.getHeaders()).containsKeys(headers.keySet().toArray(String[]::new));
        assertThat(headers)
                .allSatisfy((name, value) -> assertThat(text(copy, name)).isEqualTo(value));
    }

    private static String text(AMQP.BasicProperties properties, String header) {
        return String.valueOf(properties.getHeaders().get(header));
    }
}
