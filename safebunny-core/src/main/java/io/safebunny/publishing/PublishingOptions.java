// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.message.Envelope;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Settings of publishing. Immutable.
 *
 * @param node the publishing node
 * @param maxMessageSize largest body in bytes, serialized and encoded
 * @param encodings how bodies of a class are encoded
 * @param put what becomes of an encoded message whose body is large
 */
public record PublishingOptions(
        String node, long maxMessageSize, Function<Class<?>, BodyEncoding> encodings, UnaryOperator<Envelope> put) {

    /** All bodies are sent. */
    public PublishingOptions(String node, long maxMessageSize, Function<Class<?>, BodyEncoding> encodings) {
        this(node, maxMessageSize, encodings, UnaryOperator.identity());
    }
}
