// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

import io.safebunny.MessageContext;
import org.jspecify.annotations.Nullable;

/** What a {@link ConsumeMiddleware} knows of the message being handled. */
public interface ConsumeContext extends MessageContext {

    /** The deserialized body, or what a middleware put in its place. */
    Object payload();

    /**
     * The handler, and the middlewares behind this one, get another payload: one of an older form is brought up to date, for example. In
     * the before group only; later nobody handles it. Copies of the message (retries, poison) keep what was delivered, so middlewares see
     * that again.
     *
     * @throws io.safebunny.failure.MisuseException SB-5001 when the handler does not take values of its class
     */
    void replacePayload(Object replacement);

    /** Queue it came from. */
    String queue();

    /**
     * In the after group: why the message was given up, {@code null} when its handling is completed. In the before group: what the latest
     * run of the handler threw, {@code null} when it succeeded or there was none.
     */
    @Nullable
    Throwable failure();
}
