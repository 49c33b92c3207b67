// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import io.safebunny.message.WireMessage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts between the client library's messages and {@link WireMessage}, without validating them. */
@SuppressWarnings("JavaUtilDate") // the client library's type for timestamps
public final class AmqpMessages {

    /** Header with the first rung of the delay ladder; every message that takes the ladder has it. */
    public static final String LADDER = "sb-delay";

    private static final int PERSISTENT = 2;

    /** Maximum length of an AMQP short string in bytes. */
    private static final int SHORT_STRING = 255;

    private AmqpMessages() {}

    public static WireMessage read(BasicProperties properties, byte[] body) {
        Date timestamp = properties.getTimestamp();
        return new WireMessage(
                writable(properties.getMessageId()),
                writable(properties.getCorrelationId()),
                writable(properties.getType()),
                writable(properties.getAppId()),
                timestamp == null ? null : timestamp.getTime() / 1000,
                writable(properties.getContentType()),
                writable(properties.getContentEncoding()),
                properties.getPriority(),
                headers(properties.getHeaders()),
                body);
    }

    /**
     * Number of failed deliveries that the broker has counted. Trust it only on a redelivery: on the first delivery, the sender may have
     * written the header.
     */
    public static int deliveryCount(BasicProperties properties) {
        Map<String, Object> headers = properties.getHeaders();
        return headers != null && headers.get("x-delivery-count") instanceof Number count ? count.intValue() : 0;
    }

    private static Map<String, Object> headers(@Nullable Map<String, Object> raw) {
        if (raw == null || raw.isEmpty()) {
            return Map.of();
        }
        Map<String, Object> headers = new LinkedHashMap<>(raw.size() * 2);
        raw.forEach((name, value) -> {
            if (value != null && isWritable(name)) {
                headers.put(name, value instanceof LongString text ? text(text) : value);
            }
        });
        return headers;
    }

    /** Decodes UTF-8; other bytes stay bytes, because decoding would turn different values into the same replacement characters. */
    private static Object text(LongString value) {
        String text = value.toString();
        return text.indexOf('\uFFFD') < 0 || Arrays.equals(value.getBytes(), text.getBytes(StandardCharsets.UTF_8))
                ? text
                : value.getBytes();
    }

    /**
     * Shortens text that could be read but not written again. The client decodes each byte that is not UTF-8 as a replacement character,
     * which takes three bytes to write; a short string of 255 such bytes is therefore cut to 85 characters.
     */
    private static @Nullable String writable(@Nullable String text) {
        return text == null || isWritable(text) ? text : text.substring(0, Math.min(text.length(), SHORT_STRING / 3));
    }

    private static boolean isWritable(String text) {
        return text.length() <= SHORT_STRING / 3 || text.getBytes(StandardCharsets.UTF_8).length <= SHORT_STRING;
    }

    /**
     * @param sequence number of this publication on its channel, read back by {@link #sequence}; carried in {@code cluster-id}, an obsolete
     *     property that brokers pass on unread
     * @param user broker user for the property {@code user_id}, which the broker verifies; {@code null} for none
     */
    public static BasicProperties write(
            WireMessage message, Map<String, Object> headers, long sequence, @Nullable String user) {
        Long timestamp = message.timestamp();
        return new BasicProperties(
                message.contentType(),
                message.contentEncoding(),
                headers,
                PERSISTENT,
                message.priority(),
                message.correlationId(),
                null,
                null,
                message.messageId(),
                timestamp == null ? null : new Date(timestamp * 1000),
                message.type(),
                user,
                message.appId(),
                Long.toString(sequence));
    }

    /** Sequence number of a returned publication; 0, which is never used, when it is missing or malformed. */
    public static long sequence(BasicProperties returned) {
        String sequence = returned.getClusterId();
        try {
            return sequence == null ? 0 : Long.parseLong(sequence);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
