// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.BunnyMessage;
import io.safebunny.Upcast;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.scanning.Conversions.Conversion;
import io.safebunny.handler.scanning.Conversions.Found;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.StateFormat;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * The version of the bodies of a payload class, and the methods that bring earlier ones up to it. Immutable; inspects each class only once.
 * Thread-safe.
 */
public final class BodyVersions {

    private static final String CODE = "SB-1123";

    private static final Conversions UPCASTERS = new Conversions("upcaster", "Upcast", "class", "BunnyMessage", CODE);

    private static final ClassValue<Integer> PRESENT = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            BunnyMessage message = type.getDeclaredAnnotation(BunnyMessage.class);
            return message == null ? 1 : requireValid(type, message.version());
        }
    };

    private static final ClassValue<BodyVersions> KNOWN = new ClassValue<>() {
        @Override
        protected BodyVersions computeValue(Class<?> type) {
            return new BodyVersions(type);
        }
    };

    private final Class<?> type;
    private final int present;
    private final SortedMap<Integer, Conversion> upcasters;

    private BodyVersions(Class<?> type) {
        this.type = type;
        this.present = presentOf(type);
        List<Found> found = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Upcast.class) && !method.isSynthetic())
                .map(method -> new Found(
                        "%s.%s".formatted(type.getName(), BeanMethod.signature(method)),
                        method.getAnnotation(Upcast.class).from(),
                        method))
                .toList();
        this.upcasters = UPCASTERS.read(type.getName(), present, 1, found);
    }

    /**
     * The version of the bodies that are written of a class, whether or not it can read earlier ones.
     *
     * @throws ConfigurationException SB-1123 if it is none
     */
    public static int presentOf(Class<?> payload) {
        return PRESENT.get(payload);
    }

    /** @throws ConfigurationException SB-1123 if the version is none, or there is not exactly one upcaster for each earlier one */
    public static BodyVersions of(Type payload) {
        return KNOWN.get(ResolvableType.forType(payload).resolve(Object.class));
    }

    private static int requireValid(Class<?> type, int version) {
        if (version < 1 || version > Headers.HIGHEST_VERSION) {
            throw new ConfigurationException(
                    CODE,
                    "Invalid attribute [class=%s, version=%s]: it must be 1 to %s."
                            .formatted(type.getName(), version, Headers.HIGHEST_VERSION),
                    "Correct @BunnyMessage(version = 2) on the class.");
        }
        return version;
    }

    /** The version of the payload class. */
    public int present() {
        return present;
    }

    /**
     * The body as the present version would have it.
     *
     * @param version of the body, at most the present one
     * @throws SerializationException if it is of an earlier version and not JSON, or an upcaster fails
     */
    public byte[] upcast(byte[] body, int version, String contentType) {
        if (version >= present) {
            return body;
        }
        if (!JsonMessageSerializer.isJson(contentType)) {
            throw failed(
                    version,
                    "its content type is %s, and only JSON can be upcast. Publish it as JSON, or handle it with a class of its version"
                            .formatted(Names.printable(contentType)),
                    null);
        }
        if (!(StateFormat.parse(body) instanceof ObjectNode object)) {
            throw failed(version, "it is no JSON object", null);
        }
        ObjectNode upcast = object;
        for (Conversion upcaster : upcasters.tailMap(version).values()) {
            upcast = upcast(upcast, version, upcaster);
        }
        try {
            return ExactTree.write(upcast).getBytes(StandardCharsets.UTF_8);
        } catch (JacksonException e) { // an upcaster may put anything into it
            throw failed(version, "what the upcasters made of it cannot be written as JSON", e);
        }
    }

    private ObjectNode upcast(ObjectNode body, int version, Conversion upcaster) {
        ObjectNode upcast;
        try {
            upcast = upcaster.convert(body);
        } catch (Exception e) {
            throw failed(
                    version,
                    "upcaster %s threw %s"
                            .formatted(upcaster.where(), e.getClass().getName()),
                    e);
        }
        if (upcast == null) {
            throw failed(version, "upcaster %s returned null".formatted(upcaster.where()), null);
        }
        return upcast;
    }

    private SerializationException failed(int version, String why, @Nullable Throwable cause) {
        return new SerializationException(
                "Cannot bring a body of version %s up to version %s of %s: %s"
                        .formatted(version, present, type.getName(), why),
                cause);
    }
}
