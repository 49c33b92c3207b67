// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.observation.transport.ReceiverContext;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import org.jspecify.annotations.Nullable;

/** What is observed while a message is handled. Its carrier is the message, whose trace context names where the message was made. */
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
     * Whether this is another delivery than the one which followed the publication: a retry, a message that came back, a delayed or
     * scheduled one, a replay. It belongs into a trace of its own with a link, because it would keep the trace of the publication open
     * for hours.
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
