// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.message.Names;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.IncomingMessage;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A delivery on one channel, settled by its tag alone: others are in flight on the same channel. */
final class RabbitDelivery implements Delivery {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitDelivery.class);

    private final Channel channel;
    private final long tag;
    private final IncomingMessage message;
    private final BooleanSupplier cutOff;
    private final AtomicBoolean settled = new AtomicBoolean();

    /** @param cutOff whether the broker took the consumer's deliveries back, so that settling would mean another message */
    RabbitDelivery(Channel channel, long tag, IncomingMessage message, BooleanSupplier cutOff) {
        this.channel = channel;
        this.tag = tag;
        this.message = message;
        this.cutOff = cutOff;
    }

    @Override
    public IncomingMessage message() {
        return message;
    }

    /** Asks the connection too, which knows that it is being closed before its channels do. */
    @Override
    public boolean isOpen() {
        return !settled.get() && channel.isOpen() && channel.getConnection().isOpen() && !cutOff.getAsBoolean();
    }

    @Override
    public void acknowledge() {
        settle(() -> channel.basicAck(tag, false));
    }

    /** By nack, which a RabbitMQ 4.3 quorum queue does not count as a failed delivery. */
    @Override
    public void handBack() {
        settle(() -> channel.basicNack(tag, false, true));
    }

    @Override
    public void reject() {
        settle(() -> channel.basicReject(tag, false));
    }

    private void settle(Settlement settlement) {
        if (!settled.compareAndSet(false, true) || cutOff.getAsBoolean()) {
            return;
        }
        try {
            settlement.run();
        } catch (IOException | ShutdownSignalException e) {
            // one for each message in work: that the channel is lost is told elsewhere
            LOG.debug(
                    "Could not settle message {}, its channel is gone; the broker will deliver it again",
                    Names.printable(String.valueOf(message.message().messageId())));
        }
    }

    @FunctionalInterface
    private interface Settlement {
        void run() throws IOException;
    }
}
