// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a handler may know of the message it handles. Immutable; valid as long as the handler runs. */
public interface MessageContext {

    /** Id of the message: the same on every delivery and for every duplicate. */
    String messageId();

    /** Id of the saga the message belongs to. */
    String correlationId();

    /** Message type name. */
    String type();

    /** Node that published the message; empty when a foreign publisher did not say. */
    String from();

    /** Position in the saga: 1 for the message that started it, its parent's plus 1 below. */
    int marker();

    /** Id of the message in whose handling this one was published; {@code null} when it started the saga. */
    @Nullable
    String causationId();

    /** Delayed retries so far: 0 on the first delivery. In-memory retries are not counted here. */
    int attempt();

    /**
     * When it was published, or for a delayed publication when it was due, by the publisher's clock; the epoch when a foreign
     * publisher did not say.
     */
    Instant sentAt();

    /** Whether the broker delivered it before. */
    boolean redelivered();

    /** The publisher's own headers: scalars only, none that begins with {@code sb-} or {@code x-}. */
    Map<String, Object> headers();
}
