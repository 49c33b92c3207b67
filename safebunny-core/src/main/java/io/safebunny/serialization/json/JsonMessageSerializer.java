// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;

/**
 * JSON by Jackson 3. Tolerates unknown fields, unless the body has no field that is known. Refuses anything after the value, duplicate
 * properties, bodies that are not UTF-8, and unpaired surrogates (halves of characters). The maximum message size also limits tokens and
 * lengths; nesting, names and digits have limits of their own. A body can never choose a class. Thread-safe.
 */
public final class JsonMessageSerializer implements MessageSerializer {

    private static final String JSON = "application/json";
    private static final long MAX_MESSAGE_SIZE = 10L * 1024 * 1024;
    /** The largest message that RabbitMQ accepts, in bytes. */
    private static final long LARGEST_MESSAGE = 512L * 1024 * 1024;

    private final JsonMapper mapper;
    private final boolean unicode;
    private final JacksonFormat jackson;

    /** Shared, because a mapper is expensive to make and caches what it learns about types. */
    private static final class Defaults {
        static final JsonMapper MAPPER = StrictMapper.of(JsonMapper.shared(), new JsonLimits(MAX_MESSAGE_SIZE));
    }

    /** With Jackson's defaults, for messages of up to 10 MiB. */
    public JsonMessageSerializer() {
        this(Defaults.MAPPER, true);
    }

    /**
     * @param mapper its modules and settings are used unless they contradict this class's promises, and its limits where they are
     *     stricter
     * @param maxMessageSize largest body in bytes, as {@code safebunny.max-message-size}
     * @throws ConfigurationException SB-1310 when the mapper has default typing, or a factory whose limits cannot be set
     */
    public JsonMessageSerializer(JsonMapper mapper, long maxMessageSize) {
        this(StrictMapper.of(mapper, new JsonLimits(maxMessageSize)), true);
    }

    private JsonMessageSerializer(JsonMapper strict, boolean unicode) {
        this.mapper = strict;
        this.jackson = new JacksonFormat("JSON", strict);
        this.unicode = unicode;
    }

    /**
     * A serializer for step results, which are the node's own data. Allows any size, because the store limits it, and writes unpaired
     * surrogates as escapes, because the step has already run and must not fail because of them.
     */
    public static JsonMessageSerializer ofResults() {
        return new JsonMessageSerializer(StrictMapper.ofStored(keepingZones(), new JsonLimits(LARGEST_MESSAGE)), false);
    }

    /** A mapper for the node's own data, which keeps time zones: ten o'clock in Berlin must not come back as nine in UTC. */
    static JsonMapper keepingZones() {
        return JsonMapper.builder()
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .build();
    }

    /**
     * A serializer for states of sagas, which are the node's own data too. Unlike step results, it may refuse them, because the handler's
     * work can still be undone.
     */
    static JsonMessageSerializer ofStates() {
        return new JsonMessageSerializer(
                StrictMapper.ofStored(StateFormat.mapper(), new JsonLimits(LARGEST_MESSAGE)), true);
    }

    JsonMapper mapper() {
        return mapper;
    }

    @Override
    public String format() {
        return Serializers.JSON;
    }

    @Override
    public String contentType() {
        return JSON;
    }

    @Override
    public boolean reads(String contentType) {
        return isJson(contentType);
    }

    /** Whether bodies of this content type are JSON. */
    public static boolean isJson(String contentType) {
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

    /** @throws ConfigurationException SB-1110 if a body would choose a class; SB-1112 if no body can be read as this type */
    @Override
    public void prepare(Type target) {
        String flaw;
        try {
            flaw = whyUnreadable(target);
        } catch (ConfigurationException e) {
            throw new ConfigurationException(
                    e.code(),
                    "The payload %s cannot be read safely. %s".formatted(target.getTypeName(), e.problem()),
                    e.action());
        }
        if (flaw != null) {
            throw Readability.unreadable(target, flaw);
        }
    }

    /**
     * @return why no body can be read; {@code null} if Jackson expects that one can
     * @throws ConfigurationException if a body would choose a class
     */
    @Nullable
    String whyUnreadable(Type target) {
        try {
            return Readability.flaw(mapper, mapper.constructType(target));
        } catch (ConfigurationException e) {
            throw e;
        } catch (JacksonException e) {
            return JsonReason.ofWriting(e);
        } catch (RuntimeException e) { // for example an annotation or a module that Jackson cannot use
            return e.toString();
        }
    }

    /** @throws JacksonException if values of this type cannot be written */
    boolean writesObjects(Type type) {
        JavaType java = mapper.constructType(type);
        ObjectShape shape = new ObjectShape();
        mapper.acceptJsonFormatVisitor(java, shape);
        return shape.isSeen() && !java.getRawClass().getName().startsWith("java.");
    }

    @Override
    public byte[] serialize(Object payload) {
        return serialize(payload, null);
    }

    /** @param unread fields to write in addition */
    byte[] serialize(Object payload, @Nullable UnreadFields unread) {
        byte[] body = jackson.write(payload, unread);
        int flaw = unicode ? JsonBytes.unpairedSurrogate(body) : -1;
        if (flaw >= 0) {
            throw new SerializationException(
                    "Cannot write %s as JSON: unpaired surrogate (half of a character) at byte %s. Make sure that text is only cut between characters."
                            .formatted(payload.getClass().getName(), flaw),
                    null);
        }
        return body;
    }

    @Override
    public Object deserialize(byte[] body, Type target) {
        return deserialize(body, target, null);
    }

    /** @param unread collects fields that nothing reads */
    Object deserialize(byte[] body, Type target, @Nullable UnreadFields unread) {
        Object value = read(body, target, unread);
        int flaw = unicode ? JsonBytes.unpairedSurrogate(body) : -1;
        if (flaw >= 0) {
            throw jackson.unreadable(
                    target,
                    "unpaired surrogate (half of a character) at byte %s. The sender must cut text between characters"
                            .formatted(flaw));
        }
        return jackson.required(value, target);
    }

    private @Nullable Object read(byte[] body, Type target, @Nullable UnreadFields unread) {
        if (!JsonBytes.areUtf8(body)) {
            throw jackson.unreadable(target, "the body is not UTF-8, which the sender must use");
        }
        if (JsonBytes.haveTooLargeExponent(body)) {
            throw jackson.unreadable(
                    target,
                    "Exponent or scale of a number exceeds the maximum allowed (%s)"
                            .formatted(JsonBytes.LARGEST_EXPONENT));
        }
        return jackson.read(body, target, unread);
    }

    /** Finds out whether values of a type are written as JSON objects. */
    private static final class ObjectShape extends JsonFormatVisitorWrapper.Base {

        private boolean seen;

        boolean isSeen() {
            return seen;
        }

        /** @return {@code null}, so that properties are not visited */
        @Override
        public @Nullable JsonObjectFormatVisitor expectObjectFormat(JavaType type) {
            seen = true;
            return null;
        }
    }
}
