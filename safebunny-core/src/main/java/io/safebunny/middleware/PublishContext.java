// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a {@link PublishMiddleware} knows of the message being published. */
public interface PublishContext {

    Object payload();

    String type();

    /** {@code null} until the message is identified. */
    @Nullable
    String messageId();

    /** {@code null} until the message is identified, unless the caller gave one. */
    @Nullable
    String correlationId();

    Duration delay();

    /** The application's headers so far; unmodifiable. */
    Map<String, Object> headers();

    /** Sets an application header. In the before group only; later it has no effect on the message. */
    void header(String name, Object value);

    /** In the after group: what became of it; {@code null} before. */
    @Nullable
    PublishOutcome outcome();

    /** In the after group: why it is not confirmed, as far as there is a reason; {@code null} when it is. */
    @Nullable
    Throwable failure();
}
