// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.broker;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** Connections to the broker, and the queues that all contenders use. Thread-safe. */
public final class BenchBroker implements AutoCloseable {

    /** Prefix of the contenders' exchanges. */
    public static final String EXCHANGE = "sb-bench";

    /** The publishing node. */
    public static final String SOURCE = "source";

    /** The message size of the published figures that the ledger is compared with. */
    public static final int MESSAGE_BYTES = 965;

    private static final int CONFIRM_EVERY = 1_000;
    private static final long CONFIRM_MILLIS = 30_000;

    private static final int LOOKS = 500;
    private static final long LOOK_MILLIS = 10;

    private final ConnectionFactory client = new ConnectionFactory();
    private final Connection own;

    public BenchBroker(URI uri) throws IOException, TimeoutException {
        try {
            client.setUri(uri);
        } catch (GeneralSecurityException | URISyntaxException e) {
            throw new IllegalArgumentException("Not an AMQP URI", e);
        }
        client.setAutomaticRecoveryEnabled(false);
        own = client.newConnection("bench");
    }

    /** The caller closes it. */
    public Connection connect() throws IOException, TimeoutException {
        return client.newConnection("contender");
    }

    /** The caller destroys it. */
    public CachingConnectionFactory spring() {
        return new CachingConnectionFactory(client);
    }

    /** Routing key of {@link #SOURCE}'s messages. */
    public static String routingKey(String type) {
        return SOURCE + "-" + type;
    }

    /** Declares the quorum queue in which a node receives messages of a type from {@link #SOURCE}. */
    public String declare(String node) {
        try (BenchNode consumer = BenchNode.withoutStore(this, node)) {
            consumer.start(List.of(handler(1, ignored -> {})));
        }
        return node + "-Ping";
    }

    /** Handles pings. */
    @FunctionalInterface
    public interface PingHandler {
        void handle(Ping ping);
    }

    /** A handler without retries. */
    public static HandlerDefinition handler(int prefetch, PingHandler handler) {
        return new HandlerDefinition(
                "bench.on(Ping)",
                "Ping",
                Ping.class,
                List.of(SOURCE),
                prefetch,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> handler.handle((Ping) payload));
    }

    /** Purges the queue and fills it with messages of {@link #SOURCE}. */
    public void fill(String queue, int messages) throws IOException, InterruptedException, TimeoutException {
        byte[] body = Ping.ofSize("order-42", MESSAGE_BYTES).json();
        try (Channel channel = own.createChannel()) {
            channel.queuePurge(queue);
            channel.confirmSelect();
            for (int i = 1; i <= messages; i++) {
                channel.basicPublish("", queue, properties("bench-" + i), body);
                if (i % CONFIRM_EVERY == 0 || i == messages) {
                    channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
                }
            }
        }
    }

    /**
     * Sends messages to the queue at a fixed rate. The number of each is when it was due, by {@link System#nanoTime()}, even if it is sent
     * late, so that stalls show (no coordinated omission).
     *
     * @param begin when the first is due
     */
    public void send(String queue, long begin, int perSecond, int messages)
            throws IOException, InterruptedException, TimeoutException {
        List<String> lines = Ping.ofSize("order-42", MESSAGE_BYTES).lines();
        long interval = TimeUnit.SECONDS.toNanos(1) / perSecond;
        try (Channel channel = own.createChannel()) {
            channel.confirmSelect();
            for (int i = 0; i < messages; i++) {
                long due = begin + i * interval;
                for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
                    LockSupport.parkNanos(early);
                }
                byte[] body = new Ping("order-42", due, lines).json();
                channel.basicPublish("", queue, properties("bench-" + begin + "-" + i), body);
            }
            channel.waitForConfirmsOrDie(CONFIRM_MILLIS); // what a channel has not confirmed is lost when it closes
        }
    }

    /** Properties as SafeBunny sets them. */
    public static BasicProperties properties(String id) {
        return new BasicProperties.Builder()
                .messageId(id)
                .correlationId("bench")
                .type("Ping")
                .appId(SOURCE)
                .contentType("application/json")
                .deliveryMode(2)
                .headers(Map.of("sb-marker", 1, "sb-attempt", 0))
                .build();
    }

    public void purge(String queue) throws IOException, TimeoutException {
        try (Channel channel = own.createChannel()) {
            channel.queuePurge(queue);
        }
    }

    /** Polls, because the broker updates its count with a delay. */
    public void requireMessages(String queue, int atLeast) throws IOException, TimeoutException, InterruptedException {
        try (Channel channel = own.createChannel()) {
            for (int look = 0; channel.messageCount(queue) < atLeast; look++) {
                if (look == LOOKS) {
                    throw new IllegalStateException("Messages are missing [queue=%s, present=%s, expected=%s]"
                            .formatted(queue, channel.messageCount(queue), atLeast));
                }
                Thread.sleep(LOOK_MILLIS);
            }
        }
    }

    @Override
    public void close() {
        own.abort();
    }
}
