// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.rabbit.connection.AmqpMessages;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One channel of a queue, its successive consumers, and the number of their unfinished deliveries. {@link #consume} and {@link #cancel} are
 * for one thread at a time; everything else is thread-safe. The lock is never held during a call to the broker.
 */
final class ConsumerSession {

    /** Called on the connection's own thread: must neither call the broker nor block. */
    interface Events {

        /** @param prefetch prefetch of the consumer that received it */
        void delivered(RabbitDelivery delivery, int prefetch);

        /** The broker confirmed a cancel: that consumer delivers nothing more. */
        void consumerEnded();

        /**
         * Deliveries of this session can no longer be settled: the broker has taken them back.
         *
         * @param why why the broker closed or cancelled this queue's channel; {@code null} if the whole connection was lost, or this
         *     process closed the channel
         */
        void lost(ConsumerSession session, @Nullable String why);
    }

    private final String queue;
    private final Channel channel;
    private final boolean countsDeliveries;
    private final Events events;

    private volatile boolean cut;

    /** Whether this session starts no more consumers. Its channel stays open until its deliveries are finished. */
    private volatile boolean retired;

    /** Prefetch of the current consumer, 0 if there is none; written only by the adjusting thread. */
    private volatile int prefetch;

    private volatile boolean occupied;

    private String tag = "";

    private final Object lock = new Object();
    // guarded by the lock
    /** Consumers whose cancel the broker has not confirmed, so they may still deliver. */
    private int consumers;

    private int unfinished;

    /** @param countsDeliveries whether the broker counts failed deliveries of this queue (quorum queues) */
    ConsumerSession(String queue, Channel channel, boolean countsDeliveries, Events events) {
        this.queue = queue;
        this.channel = channel;
        this.countsDeliveries = countsDeliveries;
        this.events = events;
    }

    /** Call once, before the first consumer. Reports the loss at once if the channel is closed already. */
    void watch() {
        channel.addShutdownListener(this::channelClosed);
    }

    Channel channel() {
        return channel;
    }

    /** Whether new consumers can be started here. */
    boolean isAlive() {
        return channel.isOpen() && !cut && !retired;
    }

    /** Also checks the connection, which knows earlier than its channels that it is closing. */
    boolean canSettle() {
        return !cut && channel.isOpen() && channel.getConnection().isOpen();
    }

    /** Whether the broker has taken the deliveries back: do not use their tags any more. */
    boolean isCut() {
        return cut;
    }

    /** Prefetch of the current consumer, 0 if there is none. */
    int prefetch() {
        return prefetch;
    }
    /** Whether a long-running message, for which others no longer wait, occupies the only place of the current consumer. */
    boolean isOccupied() {
        // a consumer with a larger prefetch was started after occupy() and has free places
        return occupied && prefetch == 1;
    }

    /**
     * Call when others no longer wait for the message that is being handled. If the consumer has only one place, that message occupies it.
     */
    void occupy() {
        occupied = prefetch == 1;
    }

    boolean mayStillDeliver() {
        synchronized (lock) {
            return isAlive() && consumers > 0;
        }
    }

    /** Blocks on the broker. After a failure it is unknown whether the consumer exists, so the session retires. */
    void consume(int wanted) throws IOException {
        try {
            Receiver receiver = new Receiver(wanted);
            // also receives the deliveries of a consumer whose basic.consume-ok came too late
            channel.setDefaultConsumer(receiver);
            channel.basicQos(wanted);
            synchronized (lock) {
                consumers++;
            }
            tag = channel.basicConsume(queue, false, receiver);
            prefetch = wanted;
        } catch (IOException | ShutdownSignalException e) {
            retire();
            throw e;
        }
    }

    /** Lets current deliveries finish; later ones return to the queue when the channel closes. */
    private void retire() {
        boolean idle;
        synchronized (lock) {
            retired = true;
            idle = unfinished == 0;
        }
        if (idle) {
            close();
        }
    }

    /** Waits for the broker. */
    void cancel() throws IOException {
        if (prefetch > 0) {
            channel.basicCancel(tag);
            prefetch = 0;
            occupied = false;
        }
    }

    /**
     * Call once for each delivery.
     *
     * @return whether to close the session: it is retired, and this was its last delivery
     */
    boolean finished() {
        synchronized (lock) {
            return --unfinished == 0 && retired;
        }
    }

    /** Waits for the broker. */
    void close() {
        Channels.closeQuietly(channel);
    }

    private boolean take() {
        synchronized (lock) {
            if (retired) {
                return false;
            }
            unfinished++;
            return true;
        }
    }

    private void channelClosed(ShutdownSignalException cause) {
        cut = true;
        boolean byBroker = !cause.isHardError() && !cause.isInitiatedByApplication();
        events.lost(
                this,
                byBroker
                        ? "The broker closed the channel of queue '%s': %s".formatted(queue, Channels.explain(cause))
                        : null);
    }

    private final class Receiver extends DefaultConsumer {

        private final int asked;

        Receiver(int asked) {
            super(channel);
            this.asked = asked;
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            if (!take()) {
                // returns to the queue when the channel closes
                return;
            }
            try {
                deliver(envelope, properties, body);
            } catch (RuntimeException | Error e) {
                // not rethrown: the client would close the channel and
                // wait for a response that only this thread can read
                cut = true;
                events.lost(
                        ConsumerSession.this,
                        "A message from queue '%s' cannot be taken: %s"
                                .formatted(queue, e.getClass().getName()));
            }
        }

        private void deliver(Envelope envelope, BasicProperties properties, byte[] body) {
            IncomingMessage message = new IncomingMessage(
                    new Origin(queue, envelope.getExchange(), envelope.getRoutingKey()),
                    envelope.isRedeliver(),
                    countsDeliveries && envelope.isRedeliver() ? AmqpMessages.deliveryCount(properties) : 0,
                    properties.getUserId(),
                    AmqpMessages.read(properties, body));
            events.delivered(new RabbitDelivery(ConsumerSession.this, envelope.getDeliveryTag(), message), asked);
        }

        /** The client calls this after the last delivery, on the same thread. */
        @Override
        public void handleCancelOk(String tag) {
            synchronized (lock) {
                consumers--;
            }
            events.consumerEnded();
        }

        /**
         * The broker cancelled this consumer and took its deliveries back; although the channel is still open, none may be settled on it.
         */
        @Override
        public void handleCancel(String tag) {
            cut = true;
            events.lost(
                    ConsumerSession.this,
                    "The broker cancelled the consumer of queue '%s' (the queue was deleted or moved, or a message exceeded the acknowledgement timeout)"
                            .formatted(queue));
        }
    }
}
