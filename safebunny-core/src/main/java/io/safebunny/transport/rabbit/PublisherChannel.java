// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.WireMessage;
import io.safebunny.time.Deadline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One channel in confirm mode. One thread publishes at a time ({@link PublisherPool} sees to that); confirms and returns come
 * in on the connection's thread. Every publication ends exactly once: confirmed, returned, nacked, timed out or lost.
 */
final class PublisherChannel {

    private final Channel channel;

    /** By sequence number, in the order of publishing; guarded by itself, and never held while writing. */
    private final Map<Long, Pending> pending = new LinkedHashMap<>();

    /** Completed when nothing is pending; guarded by what is pending. */
    private @Nullable CompletableFuture<Void> drained;

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
                (tag, multiple) -> confirmed(tag, multiple, true), (tag, multiple) -> confirmed(tag, multiple, false));
        channel.addReturnListener(this::returned);
        channel.addShutdownListener(this::lost);
        channel.confirmSelect();
    }

    /** A publication that waits for its confirm. */
    static final class Pending {
        final Publication publication;
        final CompletableFuture<Void> future;
        final Deadline deadline;
        final Destination destination;
        final int size;
        private @Nullable String returned;

        /** @param size of the body in bytes */
        Pending(
                Publication publication,
                Destination destination,
                int size,
                CompletableFuture<Void> future,
                Deadline deadline) {
            this.publication = publication;
            this.destination = destination;
            this.size = size;
            this.future = future;
            this.deadline = deadline;
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Whether the broker closed it because an exchange is missing. */
    boolean missedAnExchange() {
        AMQP.Channel.Close close = Channels.closeReason(channel.getCloseReason());
        return close != null && close.getReplyCode() == AMQP.NOT_FOUND;
    }

    /** @return whether it was written to the end */
    boolean publish(Pending message, WireMessage wire, Map<String, Object> headers, @Nullable String user) {
        long sequence = channel.getNextPublishSeqNo();
        synchronized (pending) {
            pending.put(sequence, message);
        }
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
            if (forget(sequence)) {
                message.future.completeExceptionally(
                        new ConnectionLostException(message.publication, Channels.explain(e), e));
            }
        } catch (RuntimeException e) { // the client refused to encode it; the sequence number is used up
            if (forget(sequence)) {
                message.future.completeExceptionally(
                        new InvalidPublicationException("Publishing failed [type=%s, id=%s]: AMQP cannot carry it: %s"
                                .formatted(
                                        message.publication.type(), message.publication.messageId(), e.getMessage())));
            }
            closeAfterTheOthers(message.deadline);
        }
        ShutdownSignalException cause = channel.getCloseReason();
        if (cause != null) { // perhaps it was closed before the publication was in the map for lost() to see
            lost(cause);
        }
        return written;
    }

    /** What still waits for its confirm then is sent again by its publisher. */
    private void closeAfterTheOthers(Deadline patience) {
        CompletableFuture<Void> empty = new CompletableFuture<>();
        synchronized (pending) {
            drained = empty;
            tellIfDrained();
        }
        try {
            boolean unused = patience.await(empty);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Channels.closeQuietly(channel);
    }

    /** Called with the lock. */
    private void tellIfDrained() {
        if (drained != null && pending.isEmpty()) {
            drained.complete(null);
        }
    }

    private boolean forget(long sequence) {
        synchronized (pending) {
            boolean known = pending.remove(sequence) != null;
            tellIfDrained();
            return known;
        }
    }

    private void confirmed(long tag, boolean multiple, boolean ack) {
        for (Pending message : take(tag, multiple)) {
            if (!ack) {
                message.future.completeExceptionally(new NackedException(message.publication, "basic.nack"));
            } else if (message.returned != null) {
                message.future.completeExceptionally(new UnroutableException(message.publication, message.returned));
            } else {
                message.future.complete(null);
            }
        }
    }

    private List<Pending> take(long tag, boolean multiple) {
        synchronized (pending) {
            if (!multiple) {
                Pending one = pending.remove(tag);
                tellIfDrained();
                return one == null ? List.of() : List.of(one);
            }
            List<Pending> taken = new ArrayList<>();
            Iterator<Map.Entry<Long, Pending>> entries = pending.entrySet().iterator();
            while (entries.hasNext()) {
                Map.Entry<Long, Pending> entry = entries.next();
                if (entry.getKey() > tag) {
                    break;
                }
                taken.add(entry.getValue());
                entries.remove();
            }
            tellIfDrained();
            return taken;
        }
    }

    /** Comes before the confirm of the same publication, and carries its sequence number. */
    private void returned(Return message) {
        String reply = message.getReplyCode() + " " + message.getReplyText();
        long sequence = AmqpMessages.sequence(message.getProperties());
        synchronized (pending) {
            Pending one = pending.get(sequence);
            if (one != null) {
                one.returned = reply;
            } else if (sequence == 0) {
                returnedWithoutNumber(message, reply);
            }
        }
    }

    /** Whichever it is must not pass for routed. No broker is known that drops the number. */
    private void returnedWithoutNumber(Return message, String reply) {
        for (Pending candidate : pending.values()) {
            if (candidate.destination.exchange().equals(message.getExchange())
                    && candidate.destination.routingKey().equals(message.getRoutingKey())) {
                candidate.returned = reply;
            }
        }
    }

    private void lost(ShutdownSignalException cause) {
        List<Pending> all;
        synchronized (pending) {
            all = List.copyOf(pending.values());
            pending.clear();
            tellIfDrained();
        }
        AMQP.Channel.Close close = Channels.closeReason(cause);
        for (Pending message : all) {
            message.future.completeExceptionally(
                    close != null && Refusal.isOf(message, close)
                            ? Refusal.of(message, close)
                            : new ConnectionLostException(message.publication, Channels.explain(cause), cause));
        }
    }

    /** Fails what waited too long for its confirm. */
    void expire() {
        List<Pending> expired = new ArrayList<>();
        synchronized (pending) {
            Iterator<Pending> all = pending.values().iterator();
            while (all.hasNext()) {
                Pending message = all.next();
                if (message.deadline.isOver()) {
                    expired.add(message);
                    all.remove();
                }
            }
            tellIfDrained();
        }
        for (Pending message : expired) {
            message.future.completeExceptionally(new PublishTimeoutException(
                    message.publication, message.deadline.timeout(), "the broker's confirm"));
        }
    }
}
