// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import io.safebunny.message.WireMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.OutboundMessage.Due;
import io.safebunny.transport.Route;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads what this or a neighbouring version's {@link OutboundWriter} wrote. */
@SuppressWarnings("JavaUtilDate") // the type of timestamps in AMQP headers
final class OutboundReader {

    private OutboundReader() {}

    static OutboundMessage read(JsonNode json) {
        Map<String, Object> headers = new LinkedHashMap<>();
        json.path("headers")
                .properties()
                .forEach(header -> headers.put(header.getKey(), readHeader(header.getValue())));
        WireMessage message = new WireMessage(
                text(json, "id"),
                text(json, "correlationId"),
                text(json, "type"),
                text(json, "appId"),
                json.has("timestamp") ? json.get("timestamp").asLong() : null,
                text(json, "contentType"),
                text(json, "contentEncoding"),
                json.path("priority").isInt() ? json.get("priority").intValue() : null,
                headers,
                readBody(json));
        String delay = text(json, "delay");
        Due due = new Due(
                delay == null ? Duration.ZERO : Duration.parse(delay),
                json.has("deliverAt")
                        ? Instant.ofEpochMilli(json.get("deliverAt").asLong())
                        : null);
        boolean droppedIfUnheard = json.path("droppedIfUnheard").asBoolean(false);
        return new OutboundMessage(message, readRoute(json), due, droppedIfUnheard, null);
    }

    private static Route readRoute(JsonNode json) {
        String routingKey = text(json, "routingKey");
        if (routingKey != null) {
            return new Route.ToSubscribers(routingKey);
        }
        String queue = text(json, "queue");
        if (queue != null) {
            return new Route.ToQueue(queue);
        }
        String node = text(json, "poisonOf");
        if (node != null) {
            return new Route.Poison(node);
        }
        throw new IllegalArgumentException("a message without a known route");
    }

    private static byte[] readBody(JsonNode json) {
        String text = text(json, "text");
        if (text != null) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        String base64 = text(json, "base64");
        if (base64 == null) {
            throw new IllegalArgumentException("a message without a body");
        }
        return Base64.getDecoder().decode(base64);
    }

    private static Object readHeader(JsonNode json) {
        if (json.isBoolean()) {
            return json.booleanValue();
        }
        if (json.isNumber()) {
            return json.intValue();
        }
        if (!json.isObject()) {
            return string(json);
        }
        Map.Entry<String, JsonNode> typed = json.properties().iterator().next();
        String value = typed.getValue().asString();
        return switch (typed.getKey()) {
            case "date" -> new Date(Long.parseLong(value));
            case "long" -> Long.valueOf(value);
            case "short" -> Short.valueOf(value);
            case "byte" -> Byte.valueOf(value);
            case "double" -> Double.valueOf(value);
            case "float" -> Float.valueOf(value);
            case "bigdecimal" -> new BigDecimal(value);
            default -> throw new IllegalArgumentException("a header of unknown type " + typed.getKey());
        };
    }

    private static @Nullable String text(JsonNode json, String name) {
        JsonNode value = json.get(name);
        return value == null || value.isNull() ? null : value.stringValue();
    }

    static String string(JsonNode json) {
        if (!json.isString()) {
            throw new IllegalArgumentException("not a string");
        }
        return json.stringValue();
    }
}
