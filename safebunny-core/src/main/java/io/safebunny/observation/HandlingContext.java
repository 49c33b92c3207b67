// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.observation.transport.ReceiverContext;
import io.safebunny.message.Envelope;

/** What is observed while a message is handled. Its carrier is the message, whose trace context names where the message was made. */
public final class HandlingContext extends ReceiverContext<Envelope> {

    private final boolean later;

    HandlingContext(Envelope message, boolean later) {
        super((carrier, key) -> carrier.trace().get(key));
        setCarrier(message);
        this.later = later;
    }

    /**
     * Whether this is another delivery than the one which followed the publication: a retry, a message that came back, a delayed one, a
     * replay. It belongs into a trace of its own with a link, because it would keep the trace of the publication open for hours.
     */
    public boolean isLater() {
        return later;
    }
}
