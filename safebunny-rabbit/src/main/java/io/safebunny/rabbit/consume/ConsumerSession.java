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
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One channel of a queue, with one consumer after the other and the count of what they delivered that is not finished. One
 * thread at a time asks for consumers; everything else is thread-safe. Its lock is not held while the broker is called.
 */
final class ConsumerSession {

    /** Told on the connection's own thread: must neither call the broker nor wait. */
    interface Events {

        /** @param prefetch of the consumer that brought it */
        void delivered(RabbitDelivery delivery, int prefetch);

        /** A consumer delivers nothing more, as it was asked. */
        void consumerEnded();

        /**
         * Nothing delivered here can be settled any more: the broker has it back.
         *
         * @param why what the broker did about this queue; {@code null} when the whole connection is gone, or this process closed it
         */
        void lost(ConsumerSession session, @Nullable String why);
    }

    private final String queue;
    private final Channel channel;
    private final boolean countsDeliveries;
    private final Events events;

    private volatile boolean cut;

    /** Nothing more is asked of it; it stays open until what was delivered on it is finished. */
    private volatile boolean retired;

    /** Of the present consumer, 0 when there is none; written by the thread that asks for consumers. */
    private volatile int prefetch;

    private volatile boolean occupied;

    private String tag = "";

    private final Object lock = new Object();
    // guarded by the lock
    /** Those that may still deliver. */
    private int consumers;

    private int unfinished;

    /** @param countsDeliveries whether the broker keeps count of failed deliveries of this queue */
    ConsumerSession(String queue, Channel channel, boolean countsDeliveries, Events events) {
        this.queue = queue;
        this.channel = channel;
        this.countsDeliveries = countsDeliveries;
        this.events = events;
    }

    /** Call once, before the first consumer: the channel may be closed already. */
    void watch() {
        channel.addShutdownListener(this::channelClosed);
    }

    Channel channel() {
        return channel;
    }

    /** Whether it can be asked for consumers. */
    boolean isAlive() {
        return channel.isOpen() && !cut && !retired;
    }

    /** Asks the connection too, which knows that it is being closed before its channels do. */
    boolean canSettle() {
        return !cut && channel.isOpen() && channel.getConnection().isOpen();
    }

    /** Whether the broker took its deliveries back; a tag would then mean another message, or none. */
    boolean isCut() {
        return cut;
    }

    /** Of the present consumer, 0 when there is none. */
    int prefetch() {
        return prefetch;
    }

    /** Whether the present consumer's only place is taken by a message that others no longer wait for. */
    boolean isOccupied() {
        return occupied && prefetch == 1; // it may have been said of the consumer before
    }

    /** Others no longer wait for the message that takes the present consumer's place. */
    void occupy() {
        occupied = prefetch == 1;
    }

    boolean mayStillDeliver() {
        synchronized (lock) {
            return isAlive() && consumers > 0;
        }
    }

    /** Waits for the broker. When it fails, whether there is a consumer is not known, and the session retires. */
    void consume(int wanted) throws IOException {
        try {
            Receiver receiver = new Receiver(wanted);
            channel.setDefaultConsumer(receiver); // of deliveries that come although nobody answered in time
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

    /** What is delivered is finished; the broker gets the rest back. */
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
     * To be called once for each delivery.
     *
     * @return whether it was the last one of a retired session, which is then to be closed
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
                return; // goes back when the channel is closed
            }
            IncomingMessage message = new IncomingMessage(
                    queue,
                    envelope.getExchange(),
                    envelope.getRoutingKey(),
                    envelope.isRedeliver(),
                    countsDeliveries && envelope.isRedeliver() ? AmqpMessages.deliveryCount(properties) : 0,
                    properties.getUserId(),
                    AmqpMessages.read(properties, body));
            events.delivered(new RabbitDelivery(ConsumerSession.this, envelope.getDeliveryTag(), message), asked);
        }

        /** Comes after the last delivery, on the same thread. */
        @Override
        public void handleCancelOk(String tag) {
            synchronized (lock) {
                consumers--;
            }
            events.consumerEnded();
        }

        /** The broker ended this consumer. What it had is the broker's again, so the channel, still open, must settle nothing more. */
        @Override
        public void handleCancel(String tag) {
            cut = true;
            events.lost(
                    ConsumerSession.this,
                    "The broker cancelled the consumer of queue '%s' (queue deleted or moved, or a message was held too long)"
                            .formatted(queue));
        }
    }
}
