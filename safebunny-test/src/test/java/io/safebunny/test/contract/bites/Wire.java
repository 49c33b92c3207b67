// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.bites;

import io.safebunny.message.WireMessage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Changed messages, for faults. */
public final class Wire {

    private Wire() {}

    public static WireMessage with(WireMessage m, @Nullable String contentType, byte[] body) {
        return new WireMessage(
                m.messageId(),
                m.correlationId(),
                m.type(),
                m.appId(),
                m.timestamp(),
                contentType,
                m.contentEncoding(),
                m.priority(),
                m.headers(),
                body);
    }

    public static WireMessage withoutPriority(WireMessage m) {
        return new WireMessage(
                m.messageId(),
                m.correlationId(),
                m.type(),
                m.appId(),
                m.timestamp(),
                m.contentType(),
                m.contentEncoding(),
                m.headers(),
                m.body());
    }

    public static WireMessage withValues(WireMessage message, UnaryOperator<Object> change) {
        Map<String, Object> headers = new LinkedHashMap<>(message.headers());
        headers.replaceAll((name, value) -> change.apply(value));
        return message.withHeaders(headers);
    }
}
