// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Instant;
import java.util.Optional;

/**
 * Publishes messages of this node that wait, and that can be cancelled or moved while they do. The node's store knows them all; what
 * the broker delays is only an alarm clock. Thread-safe; every method blocks.
 *
 * <p>{@link #cancel} and {@link #move} act at once, inside handlers and transactions too, like any call to the outside: they stay done
 * if the handler fails or the transaction is rolled back. Both may be repeated.
 *
 * <p>All of them throw {@link io.safebunny.failure.MisuseException} SB-5013 when the node keeps no scheduled messages ({@code
 * safebunny.scheduling.enabled}), and when a handle is not one of this node's.
 */
public interface ScheduledMessages {

    /**
     * Publishes the message when its delay is over. The call itself is part of a handler or a transaction as {@link
     * Bunny#publish(Object, PublishOptions)} is: if that fails, the message is never delivered. Id, correlation id, causation, marker
     * and headers are those of a message published now, middlewares see it now. With an idempotency key, one that the node knows
     * already stays as it is.
     *
     * @param options with a delay or an instant of delivery
     * @return a handle, to be stored by whoever may want to cancel it: at most 180 characters, printable and without spaces
     * @throws io.safebunny.failure.InvalidPublicationException also when the options name no time, or the message has more than 256 KB
     * @throws io.safebunny.failure.MisuseException also SB-5008 when a middleware dropped the message
     */
    String schedule(Object payload, PublishOptions options);

    /**
     * Cancels a message, which may be on its way to the store yet.
     *
     * @return {@code true}: it is never delivered; {@code false}: it has been published, or nothing is known of it any more, longer
     *     than the retention after it was scheduled
     * @throws io.safebunny.store.StoreUnavailableException when the store did not answer; repeat the call to know
     */
    boolean cancel(String handle);

    /**
     * Moves a message to another time, earlier or later.
     *
     * @param deliverAt at most 365 days from now; one that has passed means at once
     * @return {@code true}: it is delivered then, unless it is moved again or cancelled; {@code false}: nothing changed, it has been
     *     published, or cancelled, or nothing is known of it any more
     * @throws io.safebunny.store.StoreUnavailableException when the store did not answer; repeat the call to know
     */
    boolean move(String handle, Instant deliverAt);

    /**
     * What the store knows of a message: empty before it is there, and longer than the retention after it was published or cancelled.
     *
     * @throws io.safebunny.store.StoreUnavailableException when the store did not answer
     */
    Optional<ScheduledMessage> find(String handle);
}
