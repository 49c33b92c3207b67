// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import io.safebunny.message.WireMessage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Between the client library's messages and ours. Nothing is checked here. */
@SuppressWarnings("JavaUtilDate") // the client library's type for timestamps
public final class AmqpMessages {

    /** Header with the first rung of the ladder of delays, of every message that takes it. */
    public static final String LADDER = "sb-delay";

    /**
     * Holds the priority of a message in the ladder, where nothing may overtake: quorum queues (RabbitMQ 4) expire what is first by
     * priority, so one such message would hold back all the others of its rung.
     */
    private static final String LADDER_PRIORITY = "sb-delay-priority";

    private static final int PERSISTENT = 2;

    /** Bytes of an AMQP short string at most. */
    private static final int SHORT_STRING = 255;

    private static final int OCTET = 255;

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
                priority(properties),
                headers(properties.getHeaders()),
                body);
    }

    private static @Nullable Integer priority(BasicProperties properties) {
        Map<String, Object> headers = properties.getHeaders();
        return properties.getPriority() == null
                        && headers != null
                        && headers.get(LADDER_PRIORITY) instanceof Integer delayed
                        && delayed >= 0
                        && delayed <= OCTET
                ? delayed
                : properties.getPriority();
    }

    /** What the broker itself says a message has used up of the delivery limit; a sender could only have written it before the first delivery. */
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

    /** As bytes when they are not UTF-8: the client would make the same replacement characters of different ones. */
    private static Object text(LongString value) {
        String text = value.toString();
        return text.indexOf('\uFFFD') < 0 || Arrays.equals(value.getBytes(), text.getBytes(StandardCharsets.UTF_8))
                ? text
                : value.getBytes();
    }

    /**
     * The client reads each byte that is no UTF-8 as a replacement character of three bytes, so a short string of 255 such
     * bytes could be read but never be written again.
     */
    private static @Nullable String writable(@Nullable String text) {
        return text == null || isWritable(text) ? text : text.substring(0, Math.min(text.length(), SHORT_STRING / 3));
    }

    private static boolean isWritable(String text) {
        return text.length() <= SHORT_STRING / 3 || text.getBytes(StandardCharsets.UTF_8).length <= SHORT_STRING;
    }

    /**
     * @param sequence of this publication on its channel, for {@link #sequence}. It goes into a property of AMQP 0-9-1 that is out of
     *     use: brokers pass it on, and neither they nor {@link #read} look at it
     * @param user under whom it is sent, which the broker makes sure of; {@code null} to leave that open
     */
    public static BasicProperties write(
            WireMessage message, Map<String, Object> headers, long sequence, @Nullable String user) {
        Long timestamp = message.timestamp();
        Integer priority = message.priority();
        Map<String, Object> all = headers;
        if (priority != null && headers.containsKey(LADDER)) {
            all = new HashMap<>(headers);
            all.put(LADDER_PRIORITY, priority);
            priority = null;
        }
        return new BasicProperties(
                message.contentType(),
                message.contentEncoding(),
                all,
                PERSISTENT,
                priority,
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

    /** Which publication the broker gives back; 0, which is none, when that cannot be told. */
    public static long sequence(BasicProperties returned) {
        String sequence = returned.getClusterId();
        try {
            return sequence == null ? 0 : Long.parseLong(sequence);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
