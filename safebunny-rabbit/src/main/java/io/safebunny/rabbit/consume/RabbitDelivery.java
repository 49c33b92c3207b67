// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.bodies.BodyReference;
import io.safebunny.message.Names;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A delivery on a channel shared with others; settled individually by its tag. */
class RabbitDelivery implements Delivery {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitDelivery.class);

    private final ConsumerSession session;
    private final long tag;
    private final IncomingMessage message;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile @Nullable Throwable refusal;
    private volatile boolean single;

    RabbitDelivery(ConsumerSession session, long tag, IncomingMessage message) {
        this.session = session;
        this.tag = tag;
        this.message = message;
    }

    /** The same delivery, not settled yet. */
    RabbitDelivery(RabbitDelivery other, IncomingMessage message) {
        this(other.session, other.tag, message);
    }

    final ConsumerSession session() {
        return session;
    }

    /** Size of the body in bytes, also if it is kept elsewhere and is still to be fetched. */
    int size() {
        return BodyReference.length(
                message.message().headers(), message.message().body());
    }

    /** Whether the delivery may be handled together with others. False for a redelivery, and after {@link #separate}. */
    boolean isShareable() {
        return !single && !message.redelivered();
    }

    /** From now on the delivery is handled on its own. */
    void separate() {
        single = true;
    }

    /**
     * Call before handling or settling the message.
     *
     * @return whether the caller is the first
     */
    boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    @Override
    public IncomingMessage message() {
        return message;
    }

    @Override
    public @Nullable Throwable refusal() {
        return refusal;
    }

    /** Marks the message as not to be handled. */
    void refuse(Throwable why) {
        refusal = why;
    }

    @Override
    public boolean isOpen() {
        return !settled.get() && session.canSettle();
    }

    @Override
    public void acknowledge() {
        settle(() -> session.channel().basicAck(tag, false));
    }

    /** {@inheritDoc} Uses nack, which a RabbitMQ 4.3 quorum queue does not count as a failed delivery. */
    @Override
    public void handBack() {
        settle(() -> session.channel().basicNack(tag, false, true));
    }

    @Override
    public void reject() {
        settle(() -> session.channel().basicReject(tag, false));
    }

    /** @return whether the caller is the first to settle it */
    final boolean end() {
        return settled.compareAndSet(false, true);
    }

    private void settle(Settlement settlement) {
        if (!end() || session.isCut()) {
            return;
        }
        try {
            settlement.run();
        } catch (IOException | ShutdownSignalException e) {
            // debug only: this happens for every message in progress,
            // and the loss of the channel is logged by its session
            LOG.debug(
                    "Cannot settle message {}: its channel is closed; the broker will redeliver it",
                    Names.printable(String.valueOf(message.message().messageId())));
        }
    }

    @FunctionalInterface
    private interface Settlement {
        void run() throws IOException;
    }
}
