// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

import io.safebunny.MessageContext;
import org.jspecify.annotations.Nullable;

/** What a {@link ConsumeMiddleware} knows of the message being handled. */
public interface ConsumeContext extends MessageContext {

    /** The deserialized body. */
    Object payload();

    /** Queue it came from. */
    String queue();

    /** In the after group: what the handler's last attempt threw, {@code null} when it succeeded. */
    @Nullable
    Throwable failure();
}
