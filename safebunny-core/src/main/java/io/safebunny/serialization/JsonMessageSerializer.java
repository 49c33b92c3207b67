// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import java.lang.reflect.Type;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** JSON by Jackson 3. Unknown fields are tolerated, anything after the value is not. Thread-safe. */
public final class JsonMessageSerializer implements MessageSerializer {

    private static final String JSON = "application/json";

    private final JsonMapper mapper;
    private final ConcurrentMap<Type, ObjectReader> readers = new ConcurrentHashMap<>();

    public JsonMessageSerializer() {
        this(JsonMapper.shared());
    }

    /** @param mapper its modules and settings are used, except for unknown fields and trailing tokens */
    public JsonMessageSerializer(JsonMapper mapper) {
        this.mapper = mapper.rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
    }

    @Override
    public String contentType() {
        return JSON;
    }

    @Override
    public boolean reads(String contentType) {
        if (contentType.equals(JSON)) {
            return true;
        }
        int parameters = contentType.indexOf(';');
        String media = (parameters < 0 ? contentType : contentType.substring(0, parameters))
                .trim()
                .toLowerCase(Locale.ROOT);
        return media.equals(JSON)
                || media.equals("text/json")
                || (media.startsWith("application/") && media.endsWith("+json"));
    }

    @Override
    public byte[] serialize(Object payload) {
        try {
            return mapper.writeValueAsBytes(payload);
        } catch (JacksonException e) {
            throw new SerializationException(
                    "Cannot write %s as JSON: %s".formatted(payload.getClass().getName(), JsonReason.ofWriting(e)), e);
        }
    }

    @Override
    public Object deserialize(byte[] body, Type target) {
        Object value = read(body, target);
        if (value == null) {
            throw new SerializationException(
                    "Cannot read JSON as %s: the body is the literal null".formatted(target.getTypeName()), null);
        }
        return value;
    }

    private @Nullable Object read(byte[] body, Type target) {
        try {
            return readers.computeIfAbsent(target, type -> mapper.readerFor(mapper.constructType(type)))
                    .readValue(body);
        } catch (JacksonException e) {
            throw new SerializationException(
                    "Cannot read JSON as %s: %s"
                            .formatted(target.getTypeName(), JsonReason.ofReading(e, () -> mapper.readTree(body))),
                    null);
        }
    }
}
