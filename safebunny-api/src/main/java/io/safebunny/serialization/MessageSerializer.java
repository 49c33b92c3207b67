// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * SPI: turns payloads into bytes and back, for one content type. Implementations must be thread-safe and never choose a class
 * from the bytes or headers: the target type is the handler's. They should pass {@code MessageSerializerContract} of {@code
 * safebunny-test}. Register one as a bean. What a class names as its {@linkplain io.safebunny.BunnyMessage#format format} writes it; of
 * classes that name none, the first bean (by {@code @Order}) whose own {@link #format()} is {@code json} or none. The first whose {@link
 * #reads(String)} accepts the content type reads.
 */
public interface MessageSerializer {

    /**
     * Called at start-up for the payload type of each handler.
     *
     * @throws io.safebunny.failure.ConfigurationException if values of this type cannot be read safely; the application does not
     *     start. If the type merely cannot be read from any JSON, it starts as long as another serializer accepts the type
     */
    default void prepare(Type target) {}

    /**
     * Name of the format, for {@link io.safebunny.BunnyMessage#format}, in lower case. A serializer with a name other than {@code json} writes
     * only classes that name it, and those that are {@linkplain #isBoundTo bound} to it. By default empty, for none.
     */
    default String format() {
        return "";
    }

    /** Whether payloads of this class have this format without naming it, because no other can write them. By default none. */
    default boolean isBoundTo(Class<?> payload) {
        return false;
    }

    /** The content type that {@link #serialize(Object)} produces, for example {@code application/json}. */
    String contentType();

    /** @param contentType as received: any text, perhaps with parameters; compare it ignoring case */
    boolean reads(String contentType);

    /**
     * Equal payloads must give equal bytes, because a handler that runs again must publish the same bodies. Text must be written
     * unchanged, or refused.
     *
     * @return a new array, which the caller may keep
     * @throws SerializationException when the payload cannot be written
     */
    byte[] serialize(Object payload);

    /**
     * Must skip fields that the target type does not have: a newer sender may add some. For a temporary failure, such as an
     * unreachable schema registry, throw an exception with one of the JDK's {@link java.io.IOException}s or a timeout as its
     * cause, so that tools for the poison queue do not report the body as unreadable.
     *
     * @param body not to be changed
     * @throws SerializationException if the bytes are not a value of the target type, or represent null; never returns {@code
     *     null}
     */
    Object deserialize(byte[] body, Type target);

    /**
     * A body as JSON, for {@link io.safebunny.Upcast upcasters} and for people: operators see poison messages like this, mask and edit them. It
     * must mean the same to a reader of JSON, who gets it with the content type {@code application/json}.
     *
     * @param body not to be changed
     * @return {@code null}, as by default, if the format cannot be shown as JSON
     * @throws SerializationException if the bytes are not of this format
     */
    default byte @Nullable [] toJson(byte[] body) {
        return null;
    }
}
