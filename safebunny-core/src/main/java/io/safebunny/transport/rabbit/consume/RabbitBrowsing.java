// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit.consume;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.BrowsingException;
import io.safebunny.spi.transport.BrowsedQueue;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.IncomingMessage;
import io.safebunny.transport.rabbit.client.AmqpMessages;
import io.safebunny.transport.rabbit.client.Channels;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Gets messages of a queue on a channel of its own; when that closes, the broker puts back what is not acknowledged. Confined to one thread. */
public final class RabbitBrowsing implements BrowsedQueue {

    private final Channel channel;
    private final String queue;
    private final long depth;

    private RabbitBrowsing(Channel channel, String queue, long depth) {
        this.channel = channel;
        this.queue = queue;
        this.depth = depth;
    }

    /**
     * @param connection {@code null} while there is none
     * @throws BrowsingException when the broker refuses, or is not there
     */
    public static RabbitBrowsing open(@Nullable Connection connection, String queue) {
        if (connection == null) {
            throw new BrowsingException(
                    queue, "there is no connection to the broker. Try again when health is up.", null);
        }
        Channel channel = null;
        try {
            channel = Channels.open(connection);
            return new RabbitBrowsing(
                    channel, queue, channel.queueDeclarePassive(queue).getMessageCount());
        } catch (IOException | ShutdownSignalException e) {
            if (channel != null) {
                Channels.closeQuietly(channel);
            }
            throw refused(queue, e);
        }
    }

    private static BrowsingException refused(String queue, Exception e) {
        AMQP.Channel.Close reason = Channels.closeReason(e);
        if (reason != null && reason.getReplyCode() == AMQP.ACCESS_REFUSED) {
            return new BrowsingException(
                    queue,
                    "%s. Nodes need no read permission on it otherwise: add it to the third expression of rabbitmqctl set_permissions, see docs/permissions.md."
                            .formatted(reason.getReplyText()),
                    e);
        }
        return new BrowsingException(queue, Channels.explain(e) + ".", e);
    }

    @Override
    public long depth() {
        return depth;
    }

    @Override
    public @Nullable Delivery next() {
        try {
            GetResponse got = channel.basicGet(queue, false);
            return got == null ? null : new Got(got);
        } catch (IOException | ShutdownSignalException e) {
            throw refused(queue, e);
        }
    }

    @Override
    public void close() {
        Channels.closeQuietly(channel);
    }

    private interface Answer {
        void send(long tag) throws IOException;
    }

    private final class Got implements Delivery {

        private final long tag;
        private final IncomingMessage message;
        private boolean settled;

        Got(GetResponse got) {
            this.tag = got.getEnvelope().getDeliveryTag();
            this.message = new IncomingMessage(
                    queue,
                    got.getEnvelope().getExchange(),
                    got.getEnvelope().getRoutingKey(),
                    got.getEnvelope().isRedeliver(),
                    AmqpMessages.deliveryCount(got.getProps()),
                    AmqpMessages.read(got.getProps(), got.getBody()));
        }

        @Override
        public IncomingMessage message() {
            return message;
        }

        @Override
        public boolean isOpen() {
            return !settled && channel.isOpen();
        }

        @Override
        public void acknowledge() {
            settle(delivery -> channel.basicAck(delivery, false));
        }

        @Override
        public void handBack() {
            settle(delivery -> channel.basicReject(delivery, true));
        }

        @Override
        public void reject() {
            settle(delivery -> channel.basicReject(delivery, false));
        }

        /** Without a channel the message is back in the queue already. */
        private void settle(Answer answer) {
            if (!isOpen()) {
                return;
            }
            settled = true;
            try {
                answer.send(tag);
            } catch (IOException | ShutdownSignalException e) {
                Channels.closeQuietly(channel);
            }
        }
    }
}
