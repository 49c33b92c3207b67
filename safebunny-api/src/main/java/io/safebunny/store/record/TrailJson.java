// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import java.io.StringWriter;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The stored form of a trail: {@code {"t":type,"f":[failures],"p":[publications],"o":omitted}}, each failure and publication an array of
 * its values. Short, because every record has one, and only of ASCII, so that no database can refuse a record for the text of an
 * exception. Other properties and further values are ignored when reading. Pure.
 */
final class TrailJson {

    private static final String TYPE = "t";
    private static final String FAILURES = "f";
    private static final String PUBLISHED = "p";
    private static final String OMITTED = "o";

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private TrailJson() {}

    static String write(Trail trail) {
        if (trail.equals(Trail.of(trail.type())) && Trail.isPlain(trail.type())) { // most are so
            return "{\"" + TYPE + "\":\"" + trail.type() + "\"}";
        }
        StringWriter text = new StringWriter(64);
        try (JsonGenerator json = MAPPER.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringProperty(TYPE, trail.type());
            if (!trail.failures().isEmpty()) {
                json.writeName(FAILURES);
                json.writeStartArray();
                trail.failures().forEach(failure -> write(json, failure));
                json.writeEndArray();
            }
            if (!trail.published().isEmpty()) {
                json.writeName(PUBLISHED);
                json.writeStartArray();
                trail.published().forEach(sent -> write(json, sent));
                json.writeEndArray();
            }
            if (trail.omitted() > 0) {
                json.writeNumberProperty(OMITTED, trail.omitted());
            }
            json.writeEndObject();
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, Trail.Failure failure) {
        json.writeStartArray();
        json.writeNumber(failure.at().toEpochMilli());
        json.writeString(failure.instance());
        json.writeNumber(failure.millis());
        json.writeString(failure.exception());
        write(json, failure.text());
        write(json, failure.nextAt());
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, Trail.Sent sent) {
        json.writeStartArray();
        json.writeString(sent.id());
        json.writeString(sent.type());
        if (sent.correlationId() != null || sent.dueAt() != null) { // most have neither
            write(json, sent.correlationId());
            write(json, sent.dueAt());
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, @Nullable String text) {
        if (text == null) {
            json.writeNull();
        } else {
            json.writeString(text);
        }
    }

    private static void write(JsonGenerator json, @Nullable Instant time) {
        if (time == null) {
            json.writeNull();
        } else {
            json.writeNumber(time.toEpochMilli());
        }
    }

    /** @return {@link Trail#NONE} if it is none, or one of a form that this version does not know */
    static Trail read(String text) {
        if (!text.startsWith("{\"" + TYPE + "\":")) {
            return Trail.NONE;
        }
        try {
            JsonNode json = MAPPER.readTree(text);
            List<Trail.Failure> failures = new ArrayList<>();
            json.path(FAILURES).forEach(failure -> failures.add(failure(failure)));
            List<Trail.Sent> published = new ArrayList<>();
            json.path(PUBLISHED).forEach(sent -> published.add(sent(sent)));
            return new Trail(
                    OutboundReader.string(json.path(TYPE)),
                    failures,
                    published,
                    json.path(OMITTED).asInt(0));
        } catch (JacksonException | IllegalArgumentException | DateTimeException e) {
            return Trail.NONE;
        }
    }

    private static Trail.Failure failure(JsonNode json) {
        return new Trail.Failure(
                Instant.ofEpochMilli(number(json.path(0))),
                OutboundReader.string(json.path(1)),
                number(json.path(2)),
                OutboundReader.string(json.path(3)),
                text(json.path(4)),
                time(json.path(5)));
    }

    private static Trail.Sent sent(JsonNode json) {
        return new Trail.Sent(
                OutboundReader.string(json.path(0)),
                OutboundReader.string(json.path(1)),
                text(json.path(2)),
                time(json.path(3)));
    }

    private static long number(JsonNode json) {
        if (!json.isIntegralNumber()) {
            throw new IllegalArgumentException("not a number");
        }
        return json.longValue();
    }

    private static @Nullable String text(JsonNode json) {
        return json.isString() ? json.stringValue() : null;
    }

    private static @Nullable Instant time(JsonNode json) {
        return json.isIntegralNumber() ? Instant.ofEpochMilli(json.longValue()) : null;
    }
}
