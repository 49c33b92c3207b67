// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Instant;
import java.util.Optional;

/**
 * Schedules messages of this node, which can be cancelled or moved while they wait. They are kept in the node's store; the broker
 * only delays a wake-up call. Thread-safe; every method blocks.
 *
 * <p>{@link #cancel} and {@link #move} take effect at once, even inside handlers and transactions, and stay in effect if the
 * handler fails or the transaction is rolled back. Both may be repeated.
 *
 * <p>All methods throw {@link io.safebunny.failure.MisuseException} SB-5013 if scheduling is off ({@code
 * safebunny.scheduling.enabled}) or a handle is not one of this node's.
 */
public interface ScheduledMessages {

    /**
     * Publishes the message when its delay is over. The call itself is part of the handler or transaction, as {@link
     * Bunny#publish(Object, PublishOptions)} is: if that fails, the message is never delivered. Id, correlation id, causation,
     * marker and headers are those of a message published now, and middlewares see it now. A message that was already scheduled
     * with the same idempotency key stays as it is.
     *
     * @param options must have a delay or an instant of delivery
     * @return a handle, to be stored by whoever may want to cancel the message: at most 180 characters, printable and without
     *     spaces
     * @throws io.safebunny.failure.InvalidPublicationException also when the options name no time, or the message has more than
     *     256 KB
     * @throws io.safebunny.failure.MisuseException also SB-5008 when a middleware dropped the message
     */
    String schedule(Object payload, PublishOptions options);

    /**
     * Cancels a message, even if it has not reached the store yet.
     *
     * @return {@code true}: it will never be delivered; {@code false}: it has been published, or was scheduled longer than the retention
     *     ago and is no longer known
     * @throws io.safebunny.store.StoreUnavailableException when the store did not answer; repeat the call to know
     */
    boolean cancel(String handle);

    /**
     * Moves a message to another time, earlier or later.
     *
     * @param deliverAt at most 365 days from now; a past instant means at once
     * @return {@code true}: it is delivered then, unless it is moved again or cancelled; {@code false}: nothing changed, because it has
     *     been published or cancelled, or is no longer known
     * @throws io.safebunny.store.StoreUnavailableException when the store did not answer; repeat the call to know
     */
    boolean move(String handle, Instant deliverAt);

    /**
     * What the store knows of a message. Empty until the store has it, and once the retention after its publication or cancellation is
     * over.
     *
     * @throws io.safebunny.store.StoreUnavailableException when the store did not answer
     */
    Optional<ScheduledMessage> find(String handle);
}
