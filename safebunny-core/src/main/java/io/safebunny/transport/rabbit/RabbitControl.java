// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.identity.RandomIds;
import io.safebunny.message.WireMessage;
import io.safebunny.spi.transport.ControlChannel;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.rabbit.client.Channels;
import io.safebunny.transport.rabbit.publish.Destination;
import io.safebunny.transport.rabbit.publish.PublisherPool;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One exclusive queue per instance, bound to a topic exchange with the node's name, so that topic permissions apply. It lives on the
 * connection that consumes; what is told goes out through the other one, because an alarm blocks whichever publishes. Thread-safe.
 */
final class RabbitControl implements ControlChannel {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitControl.class);

    private static final Duration TELLING = Duration.ofSeconds(1);

    private final PublisherPool publishers;
    private final DeclaredTopology declared;
    private final Supplier<@Nullable String> user;
    private final Timeline timeline;

    private volatile @Nullable Consumer<byte[]> listener;
    private volatile @Nullable Channel channel;
    /** This user may not; asking again would only fill the broker's log. */
    private volatile @Nullable String refused;

    RabbitControl(
            PublisherPool publishers, DeclaredTopology declared, Supplier<@Nullable String> user, Timeline timeline) {
        this.publishers = publishers;
        this.declared = declared;
        this.user = user;
        this.timeline = timeline;
    }

    /** @param connection the present one; {@code null} while there is none */
    void listen(Consumer<byte[]> heard, @Nullable Connection connection) {
        listener = heard;
        if (connection != null) {
            try {
                open(connection);
            } catch (IOException | ShutdownSignalException e) {
                LOG.debug("Other instances are joined with the next connection", e);
            }
        }
    }

    /** On every connect. */
    synchronized void open(Connection connection) throws IOException {
        Consumer<byte[]> heard = listener;
        if (heard == null || refused != null || isOpenOn(connection)) {
            return;
        }
        Topology planned = declared.require();
        String exchange = planned.options().controlExchange();
        Channel opened = null;
        try (Declarations broker = Declarations.on(connection, planned)) {
            boolean unused = broker.exchange(exchange, "topic", Map.of());
            opened = Channels.open(connection);
            // another name each time: the broker may still have that of a connection it has not noticed to be gone
            String queue = planned.node() + "-control-" + RandomIds.next(timeline.random());
            opened.queueDeclare(queue, false, true, true, Map.of());
            opened.queueBind(queue, exchange, planned.node());
            opened.basicConsume(queue, true, (tag, delivery) -> heard.accept(delivery.getBody()), tag -> {});
            channel = opened;
        } catch (ConfigurationException e) {
            refuse(String.valueOf(e.getMessage()));
        } catch (IOException | ShutdownSignalException e) {
            AMQP.Channel.Close close = Channels.closeReason(e);
            if (opened != null) {
                Channels.closeQuietly(opened);
            }
            if (close == null
                    || (close.getReplyCode() != AMQP.ACCESS_REFUSED && close.getReplyCode() != AMQP.NOT_FOUND)) {
                throw e;
            }
            refuse(close.getReplyText());
        }
    }

    private boolean isOpenOn(Connection connection) {
        Channel present = channel;
        return present != null && present.isOpen() && present.getConnection() == connection;
    }

    private void refuse(String words) {
        refused = words;
        LOG.warn(
                "The instances of this node cannot tell each other that a type is paused: {}. An instance that is asked still pauses, and the others"
                        + " read it from the store within a lease; without a store they do not. See docs/permissions.md for what to permit",
                words);
    }

    @Override
    public @Nullable String problem() {
        String words = refused;
        if (words != null) {
            return words;
        }
        Channel present = channel;
        return present == null || !present.isOpen() ? "not connected" : null;
    }

    @Override
    public CompletableFuture<Void> tell(byte[] message) {
        Topology planned = declared.require();
        WireMessage wire = new WireMessage(
                null, null, "BunnyControl", planned.node(), null, "application/json", null, Map.of(), message);
        CompletableFuture<Void> sent = publishers.publish(
                new Publication("BunnyControl", planned.node(), "-"),
                () -> new PublisherPool.Outgoing(
                        new Destination(planned.options().controlExchange(), planned.node(), false, Map.of()),
                        wire,
                        Map.of(),
                        user.get()),
                Deadline.after(TELLING, timeline));
        return sent.whenComplete((none, failure) -> {
            boolean passes = failure instanceof ConnectionLostException || failure instanceof PublishTimeoutException;
            if (failure != null && !passes) {
                refuse(String.valueOf(failure.getMessage()));
            }
        });
    }
}
