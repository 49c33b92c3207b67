// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import io.safebunny.transport.OutboundMessage;
import java.io.StringWriter;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The stored form of publications and step results, shared by all stores outside the process. A message comes back with the same
 * bytes and the same header types. Unknown properties are ignored when reading, so that records of neighbouring versions can be
 * read. Thread-safe.
 */
public final class RecordJson {

    /** Records are flat, with one string per body; a newer version may nest a little deeper. */
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

    /** An array with one object per message. Bodies that are valid UTF-8 are written as text, others in Base64. */
    public static String writeOutgoing(List<OutboundMessage> outgoing) {
        return write(json -> {
            json.writeStartArray();
            outgoing.forEach(message -> OutboundWriter.write(json, message));
            json.writeEndArray();
        });
    }

    /** @throws IllegalArgumentException if it does not have the form that {@link #writeOutgoing} produces */
    public static List<OutboundMessage> readOutgoing(String text) {
        return read(text, json -> {
            require(json.isArray(), "not an array");
            List<OutboundMessage> outgoing = new ArrayList<>();
            json.forEach(message -> outgoing.add(OutboundReader.read(message)));
            return outgoing;
        });
    }

    /** An object with one property per step, whose value is the step's JSON as text; see {@link MessageRecord#content}. */
    public static String writeSteps(Map<String, String> steps) {
        return write(json -> {
            json.writeStartObject();
            steps.forEach(json::writeStringProperty);
            json.writeEndObject();
        });
    }

    /** @throws IllegalArgumentException if it does not have the form that {@link #writeSteps} produces */
    public static Map<String, String> readSteps(String text) {
        return read(text, json -> {
            require(json.isObject(), "not an object");
            Map<String, String> steps = new LinkedHashMap<>();
            json.properties().forEach(step -> steps.put(step.getKey(), OutboundReader.string(step.getValue())));
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

    /** Turns every kind of reading failure into one exception whose text contains no data. */
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
}
