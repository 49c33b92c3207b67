// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.rabbit.connection.AmqpMessages;
import io.safebunny.rabbit.connection.Channels;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The publications of one channel that wait for their confirm. Each is completed exactly once: confirmed, returned, nacked, timed out or
 * lost. Thread-safe; futures are completed without holding the lock.
 */
final class Unconfirmed {

    /** The pending publications by sequence number, in the order of publishing. This map is also the lock. */
    private final Map<Long, Pending> pending = new LinkedHashMap<>();

    /** Completed when nothing is pending; guarded by {@link #pending}. */
    private @Nullable CompletableFuture<Void> drained;

    void add(long sequence, Pending message) {
        synchronized (pending) {
            pending.put(sequence, message);
        }
    }

    /** @return whether it was still pending; if so, the caller must complete it */
    boolean forget(long sequence) {
        synchronized (pending) {
            boolean known = pending.remove(sequence) != null;
            tellIfDrained();
            return known;
        }
    }

    /** Call once, after the last publication was added. */
    CompletableFuture<Void> drained() {
        CompletableFuture<Void> empty = new CompletableFuture<>();
        synchronized (pending) {
            drained = empty;
            tellIfDrained();
        }
        return empty;
    }

    /** Call with the lock held. */
    private void tellIfDrained() {
        if (drained != null && pending.isEmpty()) {
            drained.complete(null);
        }
    }

    void confirmed(long tag, boolean multiple, boolean ack) {
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

    /** Notes a returned publication. The broker sends the return, with our sequence number, before the confirm. */
    void returned(Return message) {
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

    /**
     * Handles a return without our number, although no known broker drops it: marks every candidate as unroutable, so that none wrongly
     * counts as routed.
     */
    private void returnedWithoutNumber(Return message, String reply) {
        for (Pending candidate : pending.values()) {
            if (candidate.destination.exchange().equals(message.getExchange())
                    && candidate.destination.routingKey().equals(message.getRoutingKey())) {
                candidate.returned = reply;
            }
        }
    }

    /** Call when the channel was closed, and again for publications that were added since. */
    void lost(ShutdownSignalException cause) {
        List<Pending> all;
        synchronized (pending) {
            all = List.copyOf(pending.values());
            pending.clear();
            tellIfDrained();
        }
        AMQP.Channel.Close close = Channels.closeReason(cause);
        for (Pending message : all) {
            message.future.completeExceptionally(
                    close != null && message.isRefusedBy(close)
                            ? message.refusal(close)
                            : new ConnectionLostException(message.publication, Channels.explain(cause), cause));
        }
    }

    /** Fails publications past their deadline. */
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
