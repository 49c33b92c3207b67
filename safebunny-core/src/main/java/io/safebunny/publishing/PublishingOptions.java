// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import java.util.function.Function;

/**
 * Settings of publishing. Immutable.
 *
 * @param node the publishing node
 * @param maxMessageSize largest body in bytes, serialized and encoded
 * @param encodings how bodies of a class are encoded
 */
public record PublishingOptions(String node, long maxMessageSize, Function<Class<?>, BodyEncoding> encodings) {}
