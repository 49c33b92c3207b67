// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.WireMessage;
import io.safebunny.rabbit.connection.AmqpMessages;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.time.Deadline;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One channel in confirm mode. {@link PublisherPool} lets one thread publish at a time; confirms and returns arrive on the connection's
 * thread. Every publication completes exactly once: in {@link Unconfirmed}, or here if it could not be written.
 */
final class PublisherChannel {

    private final Channel channel;
    private final Unconfirmed unconfirmed = new Unconfirmed();

    private PublisherChannel(Channel channel) {
        this.channel = channel;
    }

    static PublisherChannel open(Connection connection) throws IOException {
        PublisherChannel opened = new PublisherChannel(Channels.open(connection));
        try {
            opened.listen();
        } catch (IOException | ShutdownSignalException e) {
            Channels.closeQuietly(opened.channel);
            throw e;
        }
        return opened;
    }

    private void listen() throws IOException {
        channel.addConfirmListener(
                (tag, multiple) -> unconfirmed.confirmed(tag, multiple, true),
                (tag, multiple) -> unconfirmed.confirmed(tag, multiple, false));
        channel.addReturnListener(unconfirmed::returned);
        channel.addShutdownListener(unconfirmed::lost);
        channel.confirmSelect();
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Whether the broker closed this channel because an exchange is missing. */
    boolean missedAnExchange() {
        AMQP.Channel.Close close = Channels.closeReason(channel.getCloseReason());
        return close != null && close.getReplyCode() == AMQP.NOT_FOUND;
    }

    /** @return whether it was written completely */
    boolean publish(Pending message, WireMessage wire, Map<String, Object> headers, @Nullable String user) {
        long sequence = channel.getNextPublishSeqNo();
        unconfirmed.add(sequence, message);
        Destination to = message.destination;
        boolean written = false;
        try {
            channel.basicPublish(
                    to.exchange(),
                    to.routingKey(),
                    to.mandatory(),
                    AmqpMessages.write(wire, headers, sequence, user),
                    wire.body());
            written = true;
        } catch (IOException | ShutdownSignalException e) {
            if (unconfirmed.forget(sequence)) {
                message.future.completeExceptionally(
                        new ConnectionLostException(message.publication, Channels.explain(e), e));
            }
        } catch (RuntimeException e) {
            // the client cannot encode the message, so its sequence number is used up without a publication
            if (unconfirmed.forget(sequence)) {
                message.future.completeExceptionally(new InvalidPublicationException(
                        "Publishing failed [type=%s, id=%s]: AMQP cannot encode it: %s. Check the message's headers: AMQP takes names and properties of up to 255 bytes and a limited set of value types."
                                .formatted(
                                        message.publication.type(), message.publication.messageId(), e.getMessage())));
            }
            closeAfterTheOthers(message.deadline);
        }
        ShutdownSignalException cause = channel.getCloseReason();
        if (cause != null) {
            // the channel may have closed before this publication was added to the pending ones
            unconfirmed.lost(cause);
        }
        return written;
    }

    /**
     * Closes the channel after waiting for the other publications' confirms. Publications that are still unconfirmed then are sent again by
     * their publishers.
     */
    private void closeAfterTheOthers(Deadline deadline) {
        try {
            boolean unused = deadline.await(unconfirmed.drained());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Channels.closeQuietly(channel);
    }

    /** Fails publications past their deadline. */
    void expire() {
        unconfirmed.expire();
    }
}
