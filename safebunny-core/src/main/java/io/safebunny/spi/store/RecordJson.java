// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.store;

import io.safebunny.message.WireMessage;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The stored form of publications and step results, shared by all stores that leave the process. A message comes back with the
 * same bytes and the same header types. Properties a reader does not know are ignored, so that records of neighbouring versions
 * can be read. Thread-safe.
 */
@SuppressWarnings("JavaUtilDate") // the type of timestamps in AMQP headers
public final class RecordJson {

    /** What is written here is flat, with bodies in one string each; a newer version may write a little more. */
    private static final StreamReadConstraints LIMITS = StreamReadConstraints.builder()
            .maxNestingDepth(16)
            .maxNameLength(1_000)
            .maxStringLength(Integer.MAX_VALUE)
            .build();

    private static final JsonMapper MAPPER = JsonMapper.builder(
                    JsonFactory.builder().streamReadConstraints(LIMITS).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private RecordJson() {}

    /** An array with one object per message; bodies that are UTF-8 text as text, others in Base64. */
    public static String writeOutgoing(List<OutboundMessage> outgoing) {
        return write(json -> {
            json.writeStartArray();
            outgoing.forEach(message -> write(json, message));
            json.writeEndArray();
        });
    }

    /** @throws IllegalArgumentException when it is not what {@link #writeOutgoing} wrote */
    public static List<OutboundMessage> readOutgoing(String text) {
        return read(text, json -> {
            require(json.isArray(), "not an array");
            List<OutboundMessage> outgoing = new ArrayList<>();
            json.forEach(message -> outgoing.add(readMessage(message)));
            return outgoing;
        });
    }

    /** An object with one property per step, which holds the step's JSON as text. */
    public static String writeSteps(Map<String, String> steps) {
        return write(json -> {
            json.writeStartObject();
            steps.forEach(json::writeStringProperty);
            json.writeEndObject();
        });
    }

    /** @throws IllegalArgumentException when it is not what {@link #writeSteps} wrote */
    public static Map<String, String> readSteps(String text) {
        return read(text, json -> {
            require(json.isObject(), "not an object");
            Map<String, String> steps = new LinkedHashMap<>();
            json.properties().forEach(step -> steps.put(step.getKey(), string(step.getValue())));
            return steps;
        });
    }

    private static String write(Consumer<JsonGenerator> content) {
        StringWriter text = new StringWriter(256);
        try (JsonGenerator json = MAPPER.createGenerator(text)) {
            content.accept(json);
        }
        return text.toString();
    }

    /** Whatever cannot be read, however that shows, is one kind of exception; its text holds no content. */
    private static <T> T read(String text, Function<JsonNode, T> content) {
        try {
            return content.apply(MAPPER.readTree(text));
        } catch (JacksonException | DateTimeException | NoSuchElementException e) {
            throw new IllegalArgumentException("not what was written", e);
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    // ---- writing

    private static void write(JsonGenerator json, OutboundMessage outbound) {
        WireMessage message = outbound.message();
        json.writeStartObject();
        Route route = outbound.route();
        if (route instanceof Route.Publication publication) {
            json.writeStringProperty("routingKey", publication.routingKey());
        } else if (route instanceof Route.ToQueue direct) {
            json.writeStringProperty("queue", direct.queue());
        } else if (route instanceof Route.Poison poison) {
            json.writeStringProperty("poisonOf", poison.node());
        }
        if (!outbound.delay().isZero()) {
            json.writeStringProperty("delay", outbound.delay().toString());
        }
        if (outbound.droppedIfUnheard()) {
            json.writeBooleanProperty("droppedIfUnheard", true);
        }
        writeUnlessNull(json, "id", message.messageId());
        writeUnlessNull(json, "correlationId", message.correlationId());
        writeUnlessNull(json, "type", message.type());
        writeUnlessNull(json, "appId", message.appId());
        if (message.timestamp() != null) {
            json.writeNumberProperty("timestamp", message.timestamp());
        }
        writeUnlessNull(json, "contentType", message.contentType());
        writeUnlessNull(json, "contentEncoding", message.contentEncoding());
        if (message.priority() != null) {
            json.writeNumberProperty("priority", message.priority());
        }
        json.writeObjectPropertyStart("headers");
        message.headers().forEach((name, value) -> writeHeader(json, name, value));
        json.writeEndObject();
        String text = asText(message.body());
        if (text != null) {
            json.writeStringProperty("text", text);
        } else {
            json.writeStringProperty("base64", Base64.getEncoder().encodeToString(message.body()));
        }
        json.writeEndObject();
    }

    private static void writeUnlessNull(JsonGenerator json, String name, @Nullable String value) {
        if (value != null) {
            json.writeStringProperty(name, value);
        }
    }

    /** Strings, booleans and {@code Integer}s as they are; others with their type, as {@code {"long":1}}. */
    private static void writeHeader(JsonGenerator json, String name, Object value) {
        if (value instanceof String text) {
            json.writeStringProperty(name, text);
        } else if (value instanceof Boolean bool) {
            json.writeBooleanProperty(name, bool);
        } else if (value instanceof Integer number) {
            json.writeNumberProperty(name, number);
        } else {
            json.writeObjectPropertyStart(name);
            if (value instanceof Date date) {
                json.writeNumberProperty("date", date.getTime());
            } else {
                json.writeStringProperty(value.getClass().getSimpleName().toLowerCase(Locale.ROOT), value.toString());
            }
            json.writeEndObject();
        }
    }

    /** {@code null} when it is not exactly UTF-8. */
    private static @Nullable String asText(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    // ---- reading

    private static OutboundMessage readMessage(JsonNode json) {
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
        return new OutboundMessage(message, readRoute(json), delay == null ? Duration.ZERO : Duration.parse(delay))
                .withDroppedIfUnheard(json.path("droppedIfUnheard").asBoolean(false));
    }

    private static Route readRoute(JsonNode json) {
        String routingKey = text(json, "routingKey");
        if (routingKey != null) {
            return new Route.Publication(routingKey);
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

    private static String string(JsonNode json) {
        require(json.isString(), "not a string");
        return json.stringValue();
    }
}
