// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes and reads payloads in one of Jackson's formats, with the limits and checks of {@link JsonMessageSerializer}. What is wrong with the
 * bytes themselves, and Jackson does not see, its caller checks. Thread-safe.
 */
public final class JacksonFormat {

    private final String name;
    private final ObjectMapper mapper;
    private final ConcurrentMap<Type, ObjectReader> readers = new ConcurrentHashMap<>();

    JacksonFormat(String name, ObjectMapper strict) {
        this.name = name;
        this.mapper = strict;
    }

    /**
     * Another format than JSON, with the modules and settings that an application has for JSON.
     *
     * @param name of the format, for messages
     * @param mapper the application's
     * @param maxMessageSize largest body in bytes
     * @throws ConfigurationException SB-1310 as {@link JsonMessageSerializer}
     */
    public static JacksonFormat of(String name, JsonMapper mapper, long maxMessageSize, TokenStreamFactory factory) {
        return new JacksonFormat(
                name, OtherFormat.of(StrictMapper.of(mapper, new JsonLimits(maxMessageSize)), factory));
    }

    /** The limits of reading. */
    public StreamReadConstraints limits() {
        return mapper.tokenStreamFactory().streamReadConstraints();
    }

    /** @throws SerializationException if the payload cannot be written */
    public byte[] write(Object payload) {
        return write(payload, null);
    }

    /** @param unread fields to write in addition */
    byte[] write(Object payload, @Nullable UnreadFields unread) {
        try {
            return unread == null
                    ? mapper.writeValueAsBytes(payload)
                    : mapper.writer().withAttribute(UnreadFields.class, unread).writeValueAsBytes(payload);
        } catch (JacksonException e) {
            throw new SerializationException(
                    "Cannot write %s as %s: %s".formatted(payload.getClass().getName(), name, JsonReason.ofWriting(e)),
                    e);
        }
    }

    /** @throws SerializationException if it is not a value of the type, or null */
    public Object read(byte[] body, Type target) {
        return required(read(body, target, null), target);
    }

    Object required(@Nullable Object value, Type target) {
        if (value == null) {
            throw unreadable(target, "the body is the literal null. Send an object instead");
        }
        return value;
    }

    SerializationException unreadable(Type target, String why) {
        return new SerializationException("Cannot read %s as %s: %s".formatted(name, target.getTypeName(), why), null);
    }

    /** @param unread collects fields that nothing reads */
    @Nullable
    Object read(byte[] body, Type target, @Nullable UnreadFields unread) {
        try {
            ObjectReader reader = readers.computeIfAbsent(target, type -> mapper.readerFor(mapper.constructType(type)));
            if (unread != null) {
                return reader.withAttribute(UnreadFields.class, unread).readValue(body);
            }
            Object value = reader.readValue(body);
            if (value != null) {
                UnknownNames.requireOneKnown(name, mapper, body, target, value);
            }
            return value;
        } catch (JacksonException e) {
            throw unreadable(
                    target,
                    JsonReason.ofReading(e, place -> mapper.reader().at(place).readTree(body)));
        } catch (ConfigurationException e) { // this body is the first to reach an unsafe type
            throw unreadable(target, e.problem());
        } finally {
            UnknownNames.forget();
        }
    }

    /**
     * A body as JSON, with every number unchanged. Bytes become Base64.
     *
     * @throws SerializationException if it is not of this format
     */
    public byte[] toJson(byte[] body) {
        try (JsonParser parser = mapper.createParser(body)) {
            return ExactTree.write(ExactTree.read(parser)).getBytes(StandardCharsets.UTF_8);
        } catch (JacksonException e) {
            throw new SerializationException(
                    "Cannot read %s as JSON: %s".formatted(name, JsonReason.ofWriting(e)), null);
        }
    }
}
