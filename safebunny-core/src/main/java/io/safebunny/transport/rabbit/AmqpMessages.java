// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import io.safebunny.message.WireMessage;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Between the client library's messages and ours. Nothing is checked here. */
@SuppressWarnings("JavaUtilDate") // the client library's type for timestamps
final class AmqpMessages {

    private static final int PERSISTENT = 2;

    private AmqpMessages() {}

    static WireMessage read(BasicProperties properties, byte[] body) {
        Date timestamp = properties.getTimestamp();
        return new WireMessage(
                properties.getMessageId(),
                properties.getCorrelationId(),
                properties.getType(),
                properties.getAppId(),
                timestamp == null ? null : timestamp.getTime() / 1000,
                properties.getContentType(),
                properties.getContentEncoding(),
                headers(properties.getHeaders()),
                body);
    }

    private static Map<String, Object> headers(@Nullable Map<String, Object> raw) {
        if (raw == null || raw.isEmpty()) {
            return Map.of();
        }
        Map<String, Object> headers = new LinkedHashMap<>(raw.size() * 2);
        raw.forEach((name, value) -> {
            if (value != null) {
                headers.put(name, value instanceof LongString text ? text.toString() : value);
            }
        });
        return headers;
    }

    static BasicProperties write(WireMessage message, Map<String, Object> headers) {
        Long timestamp = message.timestamp();
        return new BasicProperties(
                message.contentType(),
                message.contentEncoding(),
                headers,
                PERSISTENT,
                null,
                message.correlationId(),
                null,
                null,
                message.messageId(),
                timestamp == null ? null : new Date(timestamp * 1000),
                message.type(),
                null,
                message.appId(),
                null);
    }
}
