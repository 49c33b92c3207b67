// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.observation.transport.ReceiverContext;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Observation context of handling a message. Its carrier is the message, whose trace context names the span that created the
 * message.
 */
public final class HandlingContext extends ReceiverContext<Envelope> implements LinkedContext {

    private final boolean later;
    private final @Nullable String madeIn;

    HandlingContext(Envelope message, boolean later) {
        super((carrier, key) -> carrier.trace().get(key));
        setCarrier(message);
        this.later = later;
        this.madeIn = message.trace().get(Headers.TRACEPARENT);
    }

    /**
     * Whether this delivery does not directly follow the publication: a retry, a returned, delayed or scheduled message, or a replay. Such
     * a delivery gets a separate trace with a link, because otherwise the publication's trace would stay open for hours.
     */
    @Override
    public boolean isLater() {
        return later;
    }

    @Override
    public @Nullable String madeIn() {
        return madeIn;
    }
}
