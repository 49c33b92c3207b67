// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as on the wire, unchecked: AMQP properties, headers and body. Transports carry it without looking inside. Headers and
 * body are not copied and must not be changed.
 *
 * @param timestamp seconds since the epoch
 * @param priority 0 to 255, as the sender chose it; every copy keeps it
 */
public record WireMessage(
        @Nullable String messageId,
        @Nullable String correlationId,
        @Nullable String type,
        @Nullable String appId,
        @Nullable Long timestamp,
        @Nullable String contentType,
        @Nullable String contentEncoding,
        @Nullable Integer priority,
        Map<String, Object> headers,
        byte[] body) {

    /** Without a priority. */
    public WireMessage(
            @Nullable String messageId,
            @Nullable String correlationId,
            @Nullable String type,
            @Nullable String appId,
            @Nullable Long timestamp,
            @Nullable String contentType,
            @Nullable String contentEncoding,
            Map<String, Object> headers,
            byte[] body) {
        this(messageId, correlationId, type, appId, timestamp, contentType, contentEncoding, null, headers, body);
    }

    public WireMessage withHeaders(Map<String, Object> other) {
        return new WireMessage(
                messageId, correlationId, type, appId, timestamp, contentType, contentEncoding, priority, other, body);
    }

    public WireMessage withPriority(@Nullable Integer other) {
        return new WireMessage(
                messageId, correlationId, type, appId, timestamp, contentType, contentEncoding, other, headers, body);
    }

    @Override
    public String toString() {
        return "WireMessage[%s, %s bytes]".formatted(ids(), body.length);
    }

    /** Type and ids as the sender wrote them, made safe to log. */
    public String ids() {
        return "type=%s, messageId=%s, correlationId=%s".formatted(safe(type), safe(messageId), safe(correlationId));
    }

    private static @Nullable String safe(@Nullable String text) {
        return text == null ? null : Names.printable(text);
    }
}
