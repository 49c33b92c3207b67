// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

import io.safebunny.MessageContext;
import org.jspecify.annotations.Nullable;

/** What a {@link ConsumeMiddleware} sees of the message being handled. */
public interface ConsumeContext extends MessageContext {

    /** The deserialized body, or a middleware's {@linkplain #replacePayload replacement}. */
    Object payload();

    /**
     * Replaces the payload for the handler and the middlewares after this one, for example to convert an old version. In the
     * before group only; in the after group it has no effect. Copies of the message (retries, poison) keep what was delivered, so
     * middlewares see that again.
     *
     * @throws io.safebunny.failure.MisuseException SB-5001 if the handler does not accept values of this class
     */
    void replacePayload(Object replacement);

    /** The queue that the message came from. */
    String queue();

    /**
     * In the after group: why the message was given up; {@code null} if it was handled. In the before group: what the latest run
     * of the handler threw; {@code null} if it succeeded or has not run.
     */
    @Nullable
    Throwable failure();
}
