// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.safebunny.message.PoisonReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Reads a poison queue to its end, and looks at who wrote what is in it. */
final class PoisonQueue {

    private static final Set<String> REASONS =
            Arrays.stream(PoisonReason.values()).map(PoisonReason::wireName).collect(Collectors.toSet());

    /** The sender's words may be in these, and only there. */
    private static final Set<String> LIBRARY = Set.of(
            "sb-marker",
            "sb-causation-id",
            "sb-attempt",
            "sb-sent-at",
            "sb-poison-reason",
            "sb-poison-queue",
            "sb-poisoned-at",
            "sb-poison-digest",
            "sb-poison-version",
            "x-exception-type",
            "x-exception-message",
            "x-exception-stacktrace",
            "x-original-exchange",
            "x-original-routingKey",
            "sb-undoes");

    private final Map<String, Integer> reasons = new TreeMap<>();
    private final List<AssertionError> errors = new ArrayList<>();
    private final VirtualHost host;
    private final String node;
    private final Instant begun;

    PoisonQueue(VirtualHost host, String node, Instant begun) {
        this.host = host;
        this.node = node;
        this.begun = begun;
    }

    /** How many there are of each reason; of what was sent here past the victim there is none. */
    Map<String, Integer> drain() {
        boolean ended = host.onBroker(channel -> {
            String queue = node + "-poison";
            CountDownLatch left = new CountDownLatch((int) channel.messageCount(queue));
            channel.basicConsume(queue, true, new DefaultConsumer(channel) {
                @Override
                public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
                    read(properties);
                    left.countDown();
                }
            });
            try {
                return left.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        });
        assertThat(ended).as("all of the poison queue was delivered").isTrue();
        assertThat(errors).isEmpty();
        return reasons;
    }

    private void read(BasicProperties properties) {
        if (Routes.PAST_THE_VICTIM.equals(properties.getClusterId())) {
            return;
        }
        try {
            Map<String, Object> headers = properties.getHeaders() == null ? Map.of() : properties.getHeaders();
            reasons.merge(String.valueOf(headers.get("sb-poison-reason")), 1, Integer::sum);
            requireOurs(properties, headers);
        } catch (RuntimeException | AssertionError e) {
            if (errors.size() < 5) {
                errors.add(new AssertionError(String.valueOf(properties), e));
            }
        }
    }

    private void requireOurs(BasicProperties properties, Map<String, Object> headers) {
        assertThat(text(headers, "sb-poison-reason")).isIn(REASONS);
        assertThat(text(headers, "sb-poison-queue"))
                .isIn(node + "-Order", node + "-Payment", node + "-Note", node + "-dead-letters");
        assertThat((Long) headers.get("sb-poisoned-at")).isBetween(begun.toEpochMilli(), System.currentTimeMillis());
        assertThat(text(headers, "sb-poison-digest")).matches("[0-9a-f]{64}");
        assertThat(text(headers, "x-exception-type")).startsWith("io.safebunny.");
        assertThat(headers.keySet())
                .filteredOn(name -> name.startsWith("sb-") || name.startsWith("x-"))
                .isSubsetOf(LIBRARY);
        assertThat(headers.keySet().stream().map(name -> name.toLowerCase(Locale.ROOT)))
                .doesNotContain("cc", "bcc", "__typeid__");
        assertThat(headers.values()).noneMatch(value -> value instanceof Map || value instanceof List);
        assertThat(properties.getReplyTo()).isNull();
        assertThat(properties.getExpiration()).isNull();
        assertThat(properties.getPriority()).as("as it was sent").isIn(null, 0, 1, 9, 128, 255);
        assertThat(properties.getUserId()).isNull();
    }

    private static String text(Map<String, Object> headers, String name) {
        return String.valueOf(headers.get(name));
    }
}
