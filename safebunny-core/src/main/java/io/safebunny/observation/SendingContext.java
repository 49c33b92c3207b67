// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.safebunny.message.Headers;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Observation context of sending a message that was created earlier. Its carrier is the message's headers. */
public final class SendingContext extends ReceiverContext<Map<String, Object>> implements LinkedContext {

    private final Map<String, Object> headers;

    SendingContext(Map<String, Object> headers) {
        super((carrier, key) -> carrier.get(key) instanceof String text ? text : null, Kind.CLIENT);
        setCarrier(headers);
        this.headers = headers;
    }

    /** Whether the message was scheduled, or kept by a saga. */
    @Override
    public boolean isLater() {
        return headers.containsKey(Headers.MADE_AT);
    }

    @Override
    public @Nullable String madeIn() {
        return Headers.trace(headers).get(Headers.TRACEPARENT);
    }
}
