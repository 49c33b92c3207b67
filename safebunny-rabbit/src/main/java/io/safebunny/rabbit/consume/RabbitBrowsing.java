// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.BrowsingException;
import io.safebunny.rabbit.connection.AmqpMessages;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads messages of a queue on a separate channel; when it closes, the broker requeues what was not acknowledged. Confined to one thread.
 */
public final class RabbitBrowsing implements BrowsedQueue {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitBrowsing.class);

    /** How long to wait for requeued messages. A busy broker takes its time, and messages taken by another consumer never come back. */
    private static final Duration PUT_BACK_WITHIN = Duration.ofSeconds(2);

    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(5);

    /** The broker's text for a missing queue; other 404s mean that the broker node hosting it is down. */
    private static final String NO_QUEUE = "no queue '";

    private final Channel channel;
    private final String queue;
    private long waiting;
    private int held;

    private final Timeline timeline;

    private RabbitBrowsing(Channel channel, String queue, Timeline timeline) {
        this.timeline = timeline;
        this.channel = channel;
        this.queue = queue;
    }

    /**
     * @param connection {@code null} while disconnected
     * @throws BrowsingException when the broker refuses or cannot be reached
     */
    public static RabbitBrowsing open(@Nullable Connection connection, String queue, Timeline timeline) {
        if (connection == null) {
            throw new BrowsingException(
                    queue, "the broker is not connected. Check the node's health and try again when it is up.", null);
        }
        try {
            return new RabbitBrowsing(Channels.open(connection), queue, timeline);
        } catch (IOException | ShutdownSignalException e) {
            throw refused(queue, e);
        }
    }

    /**
     * The number of waiting messages. Asks on a separate channel, because the broker closes it on a refusal.
     *
     * @param connection {@code null} while disconnected
     * @throws BrowsingException when the broker refuses or cannot be reached
     */
    public static long depth(@Nullable Connection connection, String queue, Timeline timeline) {
        return declared(connection, queue, timeline).getMessageCount();
    }

    /** The number of consumers; otherwise like {@link #depth}. */
    public static int consumers(@Nullable Connection connection, String queue, Timeline timeline) {
        return declared(connection, queue, timeline).getConsumerCount();
    }

    private static AMQP.Queue.DeclareOk declared(@Nullable Connection connection, String queue, Timeline timeline) {
        RabbitBrowsing asking = open(connection, queue, timeline);
        try {
            return asking.channel.queueDeclarePassive(queue);
        } catch (IOException | ShutdownSignalException e) {
            throw refused(queue, e);
        } finally {
            asking.close();
        }
    }

    private static BrowsingException refused(String queue, Exception e) {
        AMQP.Channel.Close reason = Channels.closeReason(e);
        if (reason != null && reason.getReplyCode() == AMQP.ACCESS_REFUSED) {
            return BrowsingException.denied(
                    queue,
                    "%s. Add the queue to the read expression of rabbitmqctl set_permissions (nodes need it only to browse), see docs/permissions.md."
                            .formatted(reason.getReplyText()),
                    e);
        }
        if (reason != null
                && reason.getReplyCode() == AMQP.NOT_FOUND
                && reason.getReplyText().contains(NO_QUEUE)) {
            return BrowsingException.denied(
                    queue,
                    "%s. Start the node with --safebunny.topology=apply as a user who may declare it, see docs/permissions.md."
                            .formatted(reason.getReplyText()),
                    e);
        }
        return new BrowsingException(queue, "%s. Check the broker and try again.".formatted(Channels.explain(e)), e);
    }

    @Override
    public long waiting() {
        return waiting;
    }

    @Override
    public @Nullable Delivery next() {
        try {
            GetResponse got = channel.basicGet(queue, false);
            if (got == null) {
                waiting = 0;
                return null;
            }
            waiting = got.getMessageCount();
            held++;
            return new Got(got);
        } catch (IOException | ShutdownSignalException e) {
            throw refused(queue, e);
        }
    }

    @Override
    public void close() {
        if (held > 0 && channel.isOpen()) {
            putBack();
        }
        Channels.closeQuietly(channel);
    }

    /**
     * Requeues by nack, which a RabbitMQ 4.3 quorum queue does not count as a failed delivery. A quorum queue requeues after a short delay
     * in which other browsers would miss the messages, so this waits until the queue's message count includes them again. RabbitMQ 4.2.6
     * and 4.3.0 refuse that count to a user without configure permission; then browsing again at once may miss messages.
     */
    private void putBack() {
        try {
            long whole = waiting + held;
            channel.basicNack(0, true, true); // tag 0 with multiple: all of them
            Deadline deadline = Deadline.after(PUT_BACK_WITHIN, timeline);
            while (channel.messageCount(queue) < whole && !deadline.isOver()) {
                timeline.sleep(BETWEEN_QUESTIONS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | ShutdownSignalException e) {
            LOG.debug("Messages taken from {} are requeued when the channel closes", queue, e);
        }
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
                    new Origin(
                            queue,
                            got.getEnvelope().getExchange(),
                            got.getEnvelope().getRoutingKey()),
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

        /**
         * Waits until the broker has the acknowledgement. AMQP does not confirm one, but when the broker answers the next request on the
         * same channel, it has received it.
         */
        @Override
        public void acknowledge() {
            if (settled) {
                return;
            }
            settled = true;
            held--;
            try {
                channel.basicAck(tag, false);
                // a request without effect, as nothing is consumed on this channel
                channel.basicQos(0);
            } catch (IOException | ShutdownSignalException e) {
                Channels.closeQuietly(channel);
                throw refused(queue, e);
            }
        }

        @Override
        public void handBack() {
            settle(delivery -> channel.basicReject(delivery, true));
        }

        @Override
        public void reject() {
            settle(delivery -> channel.basicReject(delivery, false));
        }

        /** Settles the message, unless the channel is closed: it is then already back in the queue. */
        private void settle(Answer answer) {
            if (!isOpen()) {
                return;
            }
            settled = true;
            held--;
            try {
                answer.send(tag);
            } catch (IOException | ShutdownSignalException e) {
                Channels.closeQuietly(channel);
            }
        }
    }
}
