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
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gets messages of a queue on a channel of its own; when that closes, the broker puts back what is not acknowledged. Confined to one thread. */
public final class RabbitBrowsing implements BrowsedQueue {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitBrowsing.class);

    /** A broker under load puts back slowly. If others take copies meanwhile, they are never all there. */
    private static final Duration PUT_BACK_WITHIN = Duration.ofSeconds(2);

    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(5);

    /** Otherwise it is there, and the instance of the broker that has it is not. */
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
     * @param connection {@code null} while there is none
     * @throws BrowsingException when the broker refuses, or is not there
     */
    public static RabbitBrowsing open(@Nullable Connection connection, String queue, Timeline timeline) {
        if (connection == null) {
            throw new BrowsingException(
                    queue, "there is no connection to the broker. Try again when health is up.", null);
        }
        try {
            return new RabbitBrowsing(Channels.open(connection), queue, timeline);
        } catch (IOException | ShutdownSignalException e) {
            throw refused(queue, e);
        }
    }

    /**
     * How many messages wait, asked passively, on a channel of its own: the broker closes it when it refuses.
     *
     * @param connection {@code null} while there is none
     * @throws BrowsingException when the broker refuses, or is not there
     */
    public static long depth(@Nullable Connection connection, String queue, Timeline timeline) {
        RabbitBrowsing asking = open(connection, queue, timeline);
        try {
            return asking.channel.queueDeclarePassive(queue).getMessageCount();
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
                    "%s. Nodes need no read permission on it otherwise: add it to the third expression of rabbitmqctl set_permissions, see docs/permissions.md."
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
        return new BrowsingException(queue, Channels.explain(e) + ".", e);
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
     * A quorum queue puts back a moment after it was told to, and whoever takes messages in that moment misses these. By nack, which a
     * RabbitMQ 4.3 quorum queue does not count as a failed delivery. How many messages there are is asked passively, which 4.2.6 and 4.3.0
     * refuse to a user without the permission to configure the queue: there, a look that follows at once may miss copies.
     */
    private void putBack() {
        try {
            long whole = waiting + held;
            channel.basicNack(0, true, true); // all
            Deadline deadline = Deadline.after(PUT_BACK_WITHIN, timeline);
            while (channel.messageCount(queue) < whole && !deadline.isOver()) {
                timeline.sleep(BETWEEN_QUESTIONS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | ShutdownSignalException e) {
            LOG.debug("What was taken from {} goes back with its channel", queue, e);
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

        /** An acknowledgement has no answer: it has been received when the broker answers what follows it on the same channel. */
        @Override
        public void acknowledge() {
            if (settled) {
                return;
            }
            settled = true;
            held--;
            try {
                channel.basicAck(tag, false);
                channel.basicQos(0); // changes nothing for whoever does not consume
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

        /** Without a channel the message is back in the queue already. */
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
