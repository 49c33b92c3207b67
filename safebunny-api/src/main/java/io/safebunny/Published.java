// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.MisuseException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The result of a publication that did not fail. Immutable; equal to any other result for the same message. */
public final class Published {

    private static final Published DROPPED = new Published(null, null);

    private final @Nullable String messageId;
    private final @Nullable String correlationId;

    private Published(@Nullable String messageId, @Nullable String correlationId) {
        this.messageId = messageId;
        this.correlationId = correlationId;
    }

    /** The result for a message that was sent and confirmed, stored with the transaction, or collected in a handler. */
    public static Published as(String messageId, String correlationId) {
        return new Published(messageId, correlationId);
    }

    /** The result when a middleware did not call {@code next}, or swallowed the failure. */
    public static Published dropped() {
        return DROPPED;
    }

    /** Whether a middleware dropped this message. */
    public boolean isDropped() {
        return messageId == null;
    }

    /** @throws MisuseException SB-5008 when it {@linkplain #isDropped is dropped} */
    public String messageId() {
        return required(messageId);
    }

    /**
     * Id of the saga that the message belongs to or starts.
     *
     * @throws MisuseException SB-5008 when it {@linkplain #isDropped is dropped}
     */
    public String correlationId() {
        return required(correlationId);
    }

    private static String required(@Nullable String id) {
        if (id == null) {
            throw new MisuseException(
                    MisuseException.DROPPED,
                    "The message has no id: a publish middleware dropped it by returning without next.run(). Check isDropped() first, or make the middleware call next.run().");
        }
        return id;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Published that && Objects.equals(messageId, that.messageId);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(messageId);
    }

    @Override
    public String toString() {
        return isDropped() ? "dropped" : messageId + " of saga " + correlationId;
    }
}
