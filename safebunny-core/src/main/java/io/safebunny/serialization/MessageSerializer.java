// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import java.lang.reflect.Type;

/**
 * SPI: turns payloads into bytes and back, for one content type. Implementations must be thread-safe and never choose a class
 * from the bytes or headers: the target type is the handler's. They should pass {@code MessageSerializerContract} of {@code
 * safebunny-test}. Register one as a bean. The first bean (by {@code @Order}) writes; the first whose {@link #reads(String)} accepts
 * the content type reads.
 */
public interface MessageSerializer {

    /**
     * Called at start-up for each handler's payload type, whatever content type its messages will have.
     *
     * @throws io.safebunny.failure.ConfigurationException when values of this type cannot be read safely; the application does
     *     not start. That no JSON at all can be read as this type keeps it from starting only if no other serializer takes the type
     */
    default void prepare(Type target) {}

    /** The content type that {@link #serialize(Object)} produces, for example {@code application/json}. */
    String contentType();

    /** @param contentType as received: any text, perhaps with parameters; to be compared ignoring case */
    boolean reads(String contentType);

    /**
     * Equal payloads become equal bytes, because a handler that runs again publishes the same messages with the same bodies. Text is
     * written as it is, or not at all.
     *
     * @return an array that nobody else uses
     * @throws SerializationException when the payload cannot be written
     */
    byte[] serialize(Object payload);

    /**
     * Skips fields that the target type does not have: a newer sender may add some. A failure that passes by itself, such as a schema registry
     * that is away, has an {@link java.io.IOException} of the JDK's or a timeout as its cause; then nobody takes the body for unreadable
     * who looks at it in the poison queue.
     *
     * @param body not to be changed
     * @throws SerializationException when the bytes are not a value of the target type, or are a null; never returns {@code null}
     */
    Object deserialize(byte[] body, Type target);
}
