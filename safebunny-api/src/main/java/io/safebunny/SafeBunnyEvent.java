// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in this instance and that an application may want to act on. With Spring Boot each event is published
 * as an application event, for {@code @EventListener} methods, and passed to beans of type {@link Listener}. Immutable. Never
 * contains a payload, a header or the text of an application's exception; the reason for a pause may quote one of SafeBunny's
 * own.
 *
 * <p>Delivered at most once, after the fact is certain: a process that dies in between delivers nothing. Where every single one
 * matters, rely on the poison queue instead.
 */
public sealed interface SafeBunnyEvent
        permits SafeBunnyEvent.MessagePoisoned,
                SafeBunnyEvent.MessageGivenUp,
                SafeBunnyEvent.MessageTakenOver,
                SafeBunnyEvent.MessageMoved,
                BunnyCircuitBreaker.Change {

    /** When it happened, by the clock of this instance. */
    Instant occurredAt();

    /**
     * A copy of a message has reached its node's poison queue, confirmed. Sent for every copy: of messages whose handler failed,
     * that were refused before their handler, that the broker set aside, and for further copies of the same message.
     *
     * @param node whose poison queue it is
     * @param queue the queue that the message came from
     * @param type as its sender wrote it, as are the ids: unchecked, but printable; {@code null} if absent
     * @param reason as in its header {@code sb-poison-reason}
     * @param exceptionType class name of the failure
     */
    record MessagePoisoned(
            String node,
            String queue,
            @Nullable String type,
            @Nullable String messageId,
            @Nullable String correlationId,
            String reason,
            String exceptionType,
            Instant occurredAt)
            implements SafeBunnyEvent {}

    /**
     * A message has been given up and is handled again only if it is replayed: its handler failed for the last time, its
     * deadline passed (one that was dropped has no copy to be replayed), it was refused before any middleware, the broker set it
     * aside, or SafeBunny itself failed on it. Sent once per message and once more for each replay that ends this way, even if the broker refuses the poison copy and moves the message itself. Copies
     * that are refused before their record is read cannot be recognised as duplicates, so each sends its own event.
     *
     * @param type if the message was never handled, this and the ids are as its sender wrote them: unchecked, but printable;
     *     {@code null} if absent
     * @param attempt delayed retries so far; 0 if the message was never handled
     * @param reason as in the header {@code sb-poison-reason} of its poison copy
     * @param exceptionType class name of the failure
     */
    record MessageGivenUp(
            String node,
            @Nullable String type,
            @Nullable String messageId,
            @Nullable String correlationId,
            int attempt,
            String reason,
            String exceptionType,
            Instant occurredAt)
            implements SafeBunnyEvent {}

    /**
     * This instance takes over a message from a process that has shown no sign of life for a whole lease, because it has crashed
     * or hangs. Sent before the handler runs.
     *
     * @param attempt delayed retries so far
     * @param takeovers consecutive takeovers, including this one; beyond {@code safebunny.topology.delivery-limit} the message is
     *     set aside
     */
    record MessageTakenOver(
            String node,
            String type,
            String messageId,
            String correlationId,
            int attempt,
            int takeovers,
            Instant occurredAt)
            implements SafeBunnyEvent {}

    /**
     * An operation on poison messages moved one copy, and the broker confirmed it. Sent for each copy.
     *
     * @param operation its id
     * @param kind name of its {@code PoisonOperation.Kind}
     * @param by who asked for it
     * @param to the queue that has the copy now
     * @param type as its sender wrote it, as are the ids: unchecked, but printable; {@code null} if absent
     */
    record MessageMoved(
            String node,
            String operation,
            String kind,
            String by,
            String to,
            @Nullable String type,
            @Nullable String messageId,
            @Nullable String correlationId,
            Instant occurredAt)
            implements SafeBunnyEvent {}

    /**
     * Receives all events, one at a time, on a thread that may block and handles no messages. What it throws is logged and does
     * not affect other listeners. If listeners are slow, a bounded number of events waits; further ones are dropped, which is
     * logged. Only {@link MessageMoved} is never dropped: it is delivered on the operation's thread, before the next copy is
     * moved.
     */
    @FunctionalInterface
    interface Listener {
        void on(SafeBunnyEvent event);
    }
}
