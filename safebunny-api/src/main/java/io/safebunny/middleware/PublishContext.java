// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a {@link PublishMiddleware} sees of the message being published. */
public interface PublishContext {

    Object payload();

    String type();

    /** {@code null} until the message has its ids. */
    @Nullable
    String messageId();

    /** {@code null} until the message has its ids, unless the caller set one. */
    @Nullable
    String correlationId();

    Duration delay();

    /** The application's headers so far; unmodifiable. */
    Map<String, Object> headers();

    /** Sets an application header. In the before group only; in the after group it has no effect. */
    void header(String name, Object value);

    /** In the after group: the outcome; {@code null} before. */
    @Nullable
    PublishOutcome outcome();

    /** In the after group: why the message is not confirmed, if there is a reason; {@code null} if it is confirmed. */
    @Nullable
    Throwable failure();
}
