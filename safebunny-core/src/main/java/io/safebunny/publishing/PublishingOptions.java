// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.serialization.BodyCodec;
import org.jspecify.annotations.Nullable;

/**
 * Settings of publishing. Immutable.
 *
 * @param node the publishing node
 * @param maxMessageSize largest body in bytes, serialized and encoded
 * @param codec encodes the bodies; if {@code null}, they are sent as serialized
 */
public record PublishingOptions(
        String node, long maxMessageSize, @Nullable BodyCodec codec) {}
