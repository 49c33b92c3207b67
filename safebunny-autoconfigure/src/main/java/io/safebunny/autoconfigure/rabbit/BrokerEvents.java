// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.failure.details.Printable;
import io.safebunny.message.Names;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends each {@link MessageGivenUp} to the exchange {@code {prefix}.events}, for tools outside this process. At most once, and confirmed:
 * an event that the broker does not accept is logged and lost. Called by one thread at a time.
 */
final class BrokerEvents implements SafeBunnyEvent.Listener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerEvents.class);

    /** How long to wait for the broker. The application's own listeners wait meanwhile. */
    private static final int PATIENCE_MILLIS = 2_000;

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(15);
    private static final JsonMapper JSON = new JsonMapper();

    private final ConnectionFactory connections;
    private final String exchange;
    private final Timeline timeline;
    private volatile @Nullable Channel channel;
    private long failedAt;
    private boolean failed;

    /** @param prefix the prefix of all exchanges */
    BrokerEvents(ConnectionFactory connections, String prefix, Timeline timeline) {
        this.connections = connections;
        this.exchange = prefix + ".events";
        this.timeline = timeline;
    }

    @Override
    public void on(SafeBunnyEvent event) {
        if (!(event instanceof MessageGivenUp givenUp)) {
            return;
        }
        if (failed && timeline.nanoTime() - failedAt < AFTER_FAILURE.toNanos()) {
            LOG.warn(
                    "Event dropped, as the exchange '{}' did not accept the last one; check the connection and the permissions: {}",
                    exchange,
                    event);
            return;
        }
        try {
            send(givenUp);
            failed = false;
        } catch (IOException | TimeoutException | InterruptedException | RuntimeException e) {
            failed = true;
            failedAt = timeline.nanoTime();
            close();
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            LOG.warn(
                    "Event dropped, as the exchange '{}' did not accept it; check the connection and the permissions: {}",
                    exchange,
                    event,
                    Printable.inLines(e));
        }
    }

    private void send(MessageGivenUp event) throws IOException, TimeoutException, InterruptedException {
        Channel open = open();
        open.basicPublish(
                exchange,
                routingKey(event),
                new AMQP.BasicProperties.Builder()
                        .contentType("application/json")
                        .deliveryMode(2)
                        .type("MessageGivenUp")
                        .build(),
                body(event));
        open.waitForConfirmsOrDie(PATIENCE_MILLIS);
    }

    private Channel open() throws IOException {
        Channel present = channel;
        if (present != null && present.isOpen()) {
            return present;
        }
        com.rabbitmq.client.Connection connection =
                Objects.requireNonNull(connections.createConnection().getDelegate(), "connection to the broker");
        declare(connection);
        Channel opened = Channels.open(connection);
        opened.confirmSelect();
        channel = opened;
        return opened;
    }

    /** Continues if the user may not declare the exchange: it may exist, and the node may be allowed to publish to it. */
    private void declare(com.rabbitmq.client.Connection connection) throws IOException {
        Channel asking = Channels.open(connection);
        try {
            asking.exchangeDeclare(exchange, "topic", true);
        } catch (IOException e) {
            AMQP.Channel.Close close = Channels.closeReason(e);
            if (close == null || close.getReplyCode() != AMQP.ACCESS_REFUSED) {
                throw e;
            }
        } finally {
            Channels.closeQuietly(asking);
        }
    }

    /** Omits an invalid type, which the sender may have made up. */
    private static String routingKey(MessageGivenUp event) {
        String type = event.type();
        return event.node() + "." + (type != null && Names.isType(type) ? type : "unknown");
    }

    private static byte[] body(MessageGivenUp event) {
        Map<String, @Nullable Object> told = new LinkedHashMap<>();
        told.put("event", "MessageGivenUp");
        told.put("node", event.node());
        told.put("type", event.type());
        told.put("messageId", event.messageId());
        told.put("correlationId", event.correlationId());
        told.put("attempt", event.attempt());
        told.put("reason", event.reason());
        told.put("exceptionType", event.exceptionType());
        told.put("occurredAt", event.occurredAt().toString());
        return JSON.writeValueAsBytes(told);
    }

    @Override
    public void close() {
        Channel open = channel;
        channel = null;
        if (open != null) {
            Channels.closeQuietly(open);
        }
    }
}
