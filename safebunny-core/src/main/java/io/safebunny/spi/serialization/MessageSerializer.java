// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.serialization;

import java.lang.reflect.Type;

/**
 * SPI: turns payloads into bytes and back, for one content type. Implementations are thread-safe and never choose a class
 * from the bytes or headers: the target type is the handler's. Register one as a bean; the first (in {@code @Order}) whose
 * {@link #reads(String)} accepts a content type reads it, and the first of all writes.
 */
public interface MessageSerializer {

    /**
     * Called at the start for the payload type of each handler, whatever the content type of its messages will be.
     *
     * @throws io.safebunny.failure.ConfigurationException when values of this type cannot be read safely; the application does not start
     */
    default void prepare(Type target) {}

    /** Content type of what {@link #serialize(Object)} writes, for example {@code application/json}. */
    String contentType();

    /** @param contentType as received, perhaps with parameters; compared without regard to case */
    boolean reads(String contentType);

    /** @throws SerializationException when the payload cannot be written */
    byte[] serialize(Object payload);

    /** @throws SerializationException when the bytes are not a value of the target type; never {@code null} */
    Object deserialize(byte[] body, Type target);
}
