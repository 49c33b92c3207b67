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
 * A message on its way to the broker. Immutable. Create it with the three-argument constructor and the other methods: the
 * canonical constructor may get further parameters.
 *
 * @param droppedIfUnheard whether it counts as sent even if no queue is bound. The sender takes care of that: transports ignore
 *     it, stores must keep it
 * @param watcher receives its outcome in this process; {@code null} for none, as in messages read from a store
 */
public record OutboundMessage(
        WireMessage message,
        Route route,
        Due due,
        boolean droppedIfUnheard,
        @Nullable Watcher watcher) {

    /**
     * When the message is routed.
     *
     * @param delay how long it waits before it is routed; zero for not at all. Transports never shorten it
     * @param at in whole milliseconds; if set, the sender replaces the delay with the time left until then. Transports ignore it;
     *     stores must keep it
     */
    public record Due(Duration delay, @Nullable Instant at) {}

    /**
     * Receives the outcome of a message. Only the first call counts. Called on any thread, even with locks held, so it must not
     * block.
     */
    @FunctionalInterface
    public interface Watcher {
        void ended(PublishOutcome outcome, @Nullable Throwable failure);
    }

    public OutboundMessage(WireMessage message, Route route, Duration delay) {
        this(message, route, new Due(delay, null), false, null);
    }

    public OutboundMessage withMessage(WireMessage other) {
        return new OutboundMessage(other, route, due, droppedIfUnheard, watcher);
    }

    public OutboundMessage withDroppedIfUnheard(boolean dropped) {
        return new OutboundMessage(message, route, due, dropped, watcher);
    }

    /** @param delay time left until then, for transports */
    public OutboundMessage deliveredAt(Instant instant, Duration delay) {
        return new OutboundMessage(message, route, new Due(delay, instant), droppedIfUnheard, watcher);
    }

    public OutboundMessage watchedBy(Watcher other) {
        return new OutboundMessage(message, route, due, droppedIfUnheard, other);
    }

    /** See {@link Due}. */
    public Duration delay() {
        return due.delay();
    }

    /** See {@link Due#at}. */
    public @Nullable Instant deliverAt() {
        return due.at();
    }

    /** Reports the outcome to the watcher, if there is one; only the first call has an effect. */
    public void ended(PublishOutcome outcome, @Nullable Throwable failure) {
        if (watcher != null) {
            watcher.ended(outcome, failure);
        }
    }

    /** The message to send now: its delay is the time that is left. */
    public OutboundMessage sentAt(Instant now) {
        Instant at = due.at();
        return at == null ? this : deliveredAt(at, at.isAfter(now) ? Duration.between(now, at) : Duration.ZERO);
    }

    /** The name of this message in exceptions. */
    public Publication publication() {
        return new Publication(
                Names.printable(String.valueOf(message.type())),
                route.routingKey(),
                Names.printable(String.valueOf(message.messageId())));
    }
}
