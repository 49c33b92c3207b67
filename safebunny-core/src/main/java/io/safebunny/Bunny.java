// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.util.concurrent.CompletableFuture;

/**
 * Publishes messages as this node. Thread-safe.
 *
 * <p>Outside a handler a publication is sent at once. Inside a handler it is collected and sent after the handler
 * succeeded, so a handler that fails publishes nothing; correlation id, causation and marker are taken from the message
 * being handled, and the message id is the same however often that message is handled again. "Inside" means: on the
 * handler's thread, and as the handler's own node. From other threads a handler publishes with {@link MessageContext#publisher()}: what they
 * publish through this interface, or through the {@code Bunny} of another node in this JVM, starts a saga of its own. A warning tells of the
 * former where it can be seen, which is on threads that the handler itself started.
 *
 * <p>Errors: {@link io.safebunny.failure.InvalidPublicationException} when the publication is not acceptable, and the kinds of
 * {@link io.safebunny.failure.PublishException} when it was not confirmed; {@link io.safebunny.failure.NotRunningException} among
 * them, at once, before the application context has started the node and after it has stopped it.
 */
public interface Bunny {

    /** {@link #publish(Object, PublishOptions)} with {@link PublishOptions#none()}. */
    default Published publish(Object payload) {
        return publish(payload, PublishOptions.none());
    }

    /**
     * Publishes and returns once a queue has taken the message (inside a handler: once it is collected).
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
     * Like {@link #publish(Object, PublishOptions)} without waiting for the confirm. The future completes with what
     * {@code publish} would have returned, or with the exception that {@code publish} would have thrown. Middlewares run on the calling thread.
     */
    CompletableFuture<Published> publishAsync(Object payload, PublishOptions options);

    /** {@link #publishNow(Object, PublishOptions)} with {@link PublishOptions#none()}. */
    default Published publishNow(Object payload) {
        return publishNow(payload, PublishOptions.none());
    }

    /**
     * Sends at once even inside a handler. The message stays published when the handler fails afterwards; a later attempt
     * publishes it again with the same id.
     */
    Published publishNow(Object payload, PublishOptions options);
}
