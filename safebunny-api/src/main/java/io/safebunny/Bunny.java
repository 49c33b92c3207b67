// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.util.concurrent.CompletableFuture;

/**
 * Publishes messages as this node. Thread-safe.
 *
 * <p>Outside a handler a publication is sent at once. Inside a handler it is collected and sent after the handler has succeeded,
 * so a failed handler publishes nothing. Correlation id, causation and marker come from the message being handled, and the
 * message id stays the same however often that message is handled again. "Inside" means on the handler's thread and through the
 * {@code Bunny} of the handler's own node. From other threads, publish with {@link MessageContext#publisher()}: anything else
 * starts a new saga. On threads that the handler itself started, SafeBunny notices this and logs a warning.
 *
 * <p>Errors: {@link io.safebunny.failure.InvalidPublicationException} when the publication is invalid, and a {@link
 * io.safebunny.failure.PublishException} when it was not confirmed. Before the node has started and after it has stopped, {@link
 * io.safebunny.failure.NotRunningException} is thrown at once.
 */
public interface Bunny {

    /** {@link #publish(Object, PublishOptions)} with {@link PublishOptions#none()}. */
    default Published publish(Object payload) {
        return publish(payload, PublishOptions.none());
    }

    /**
     * Publishes and returns once the broker has confirmed the message (inside a handler: once it is collected; in a transaction
     * with an outbox: once it is stored).
     *
     * @param payload serialized by the configured serializer; its class names the message type, see {@link BunnyMessage}
     * @return the ids of the message, or that a middleware {@linkplain Published#isDropped dropped} it
     */
    Published publish(Object payload, PublishOptions options);

    /** {@link #publishAsync(Object, PublishOptions)} with {@link PublishOptions#none()}. */
    default CompletableFuture<Published> publishAsync(Object payload) {
        return publishAsync(payload, PublishOptions.none());
    }

    /**
     * Like {@link #publish(Object, PublishOptions)}, but without waiting for the confirm. The future completes with what {@code
     * publish} would have returned or thrown. Middlewares run on the calling thread.
     */
    CompletableFuture<Published> publishAsync(Object payload, PublishOptions options);

    /** {@link #publishNow(Object, PublishOptions)} with {@link PublishOptions#none()}. */
    default Published publishNow(Object payload) {
        return publishNow(payload, PublishOptions.none());
    }

    /**
     * Sends at once, even inside a handler. The message stays published if the handler fails afterwards; a later attempt
     * publishes it again with the same id.
     */
    Published publishNow(Object payload, PublishOptions options);
}
