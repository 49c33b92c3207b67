// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What happened in this instance that somebody may want to act upon. With Spring Boot each is published as an application event, for
 * {@code @EventListener} methods, and told to beans of type {@link Listener}. Immutable; never holds a payload, a header or the text of an
 * application's exception; why a type is paused may quote SafeBunny's own.
 *
 * <p>Told at most once, after what it tells of is certain: a process that dies in between tells nobody. Count on the poison queue, not on
 * events, where each one matters.
 */
public sealed interface SafeBunnyEvent
        permits SafeBunnyEvent.MessagePoisoned,
                SafeBunnyEvent.MessageGivenUp,
                SafeBunnyEvent.MessageTakenOver,
                SafeBunnyEvent.MessageMoved,
                BunnyCircuitBreaker.Change {

    /** By the clock of this instance. */
    Instant occurredAt();

    /**
     * A copy of a message is in the poison queue of its node, confirmed. Told for every copy, whoever sent it there: handlers that failed,
     * messages refused before their handler, what the broker set aside, and further copies of one message.
     *
     * @param node whose poison queue it is
     * @param queue in which the message was
     * @param type as its sender wrote it, as are the ids: unchecked, but printable; {@code null} if absent
     * @param reason as in its header {@code sb-poison-reason}
     * @param exceptionType name of a class
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
     * A message is not handled any more, unless it is replayed: its handling failed for the last time, or it was refused before any
     * middleware, or the broker set it aside, or SafeBunny itself failed on it. Told once per message, and once more for each replay that
     * ends so; also when the broker refuses its poison copy and moves the message itself. Copies of one message that are refused before its
     * record is asked cannot be told apart, so each of them is told of.
     *
     * @param type of a message that was not handled, as its sender wrote it, as are the ids: unchecked, but printable; {@code null} if
     *     absent
     * @param attempt delayed retries before; 0 for a message that was not handled
     * @param reason as in the header {@code sb-poison-reason} of its poison copy
     * @param exceptionType name of a class
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
     * This instance handles a message whose handling was begun elsewhere and has been silent for a whole lease: the other process has
     * ended or stands still. Told before the handler runs.
     *
     * @param attempt delayed retries before
     * @param takeovers in a row, this one included; above {@code safebunny.topology.delivery-limit} the message would be set aside
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
     * An operation on poison messages moved a copy of a message, and the broker has confirmed that. Told for each.
     *
     * @param operation its id
     * @param kind what it does, as {@code PoisonOperation.Kind} names it
     * @param by who asked for it
     * @param to queue in which the copy is now
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
     * Told of all events, one after the other, on a thread that may block and on which no message is handled. What it throws is logged, and
     * keeps nothing from other listeners. Events that wait for a slow one are bounded; beyond that they are dropped, and the log says so. Only
     * {@link MessageMoved} waits for nothing and is never dropped: it is told on the thread of its operation, before the next copy is moved.
     */
    @FunctionalInterface
    interface Listener {
        void on(SafeBunnyEvent event);
    }
}
