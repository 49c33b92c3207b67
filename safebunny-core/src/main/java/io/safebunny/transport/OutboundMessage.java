// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.failure.PublishException.Publication;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.PublishOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to the broker. Immutable. More components may be added later, so create it with the three-argument
 * constructor and the {@code with} methods; the canonical constructor is for SafeBunny itself.
 *
 * @param delay how long the message waits before it is routed; zero for not at all. Never shortened
 * @param droppedIfUnheard whether the sender counts it as sent if no queue is bound. Transports ignore this and refuse it like
 *     any other message; stores must keep it
 * @param deliverAt in whole milliseconds; if set, the sender replaces the delay by what is left until then. Transports ignore it;
 *     stores must keep it
 * @param watcher hears what becomes of it in this process; {@code null} for nobody, as in what a store has read
 */
public record OutboundMessage(
        WireMessage message,
        Route route,
        Duration delay,
        boolean droppedIfUnheard,
        @Nullable Instant deliverAt,
        @Nullable Watcher watcher) {

    /** Hears what becomes of a message. Only the first call counts. Called on any thread, also with locks held: must not block. */
    @FunctionalInterface
    public interface Watcher {
        void ended(PublishOutcome outcome, @Nullable Throwable failure);
    }

    /** Without a watcher. */
    public OutboundMessage(
            WireMessage message, Route route, Duration delay, boolean droppedIfUnheard, @Nullable Instant deliverAt) {
        this(message, route, delay, droppedIfUnheard, deliverAt, null);
    }

    public OutboundMessage(WireMessage message, Route route, Duration delay) {
        this(message, route, delay, false, null);
    }

    public OutboundMessage withDroppedIfUnheard(boolean dropped) {
        return new OutboundMessage(message, route, delay, dropped, deliverAt, watcher);
    }

    /** @param delay what is left until then, for those that know delays only */
    public OutboundMessage deliveredAt(Instant instant, Duration delay) {
        return new OutboundMessage(message, route, delay, droppedIfUnheard, instant, watcher);
    }

    public OutboundMessage watchedBy(Watcher other) {
        return new OutboundMessage(message, route, delay, droppedIfUnheard, deliverAt, other);
    }

    /** Tells the watcher, if there is one, and only if it has not been told before. */
    public void ended(PublishOutcome outcome, @Nullable Throwable failure) {
        if (watcher != null) {
            watcher.ended(outcome, failure);
        }
    }

    /** The message as it is to be sent now: with what is left of its delay. */
    public OutboundMessage sentAt(Instant now) {
        return deliverAt == null
                ? this
                : deliveredAt(deliverAt, deliverAt.isAfter(now) ? Duration.between(now, deliverAt) : Duration.ZERO);
    }

    /** How exceptions name this message. */
    public Publication publication() {
        return new Publication(
                Names.printable(String.valueOf(message.type())),
                route.routingKey(),
                Names.printable(String.valueOf(message.messageId())));
    }
}
