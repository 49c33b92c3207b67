// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;
import io.safebunny.node.Compression;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How bodies are published.
 *
 * @param compressAbove Size of the largest body that is published without gzip; larger ones are compressed if that makes them
 *     smaller, before safebunny.publisher.encoding is applied. Without it, none are. Lowering it saves room on the broker, and
 *     costs the time to compress and decompress. All nodes that consume them must know gzip, as each of this version does.
 * @param compressEncrypted Whether a body may be compressed before a codec hides its content. Its length then tells something
 *     of what it says.
 */
@ConfigurationProperties("safebunny.bodies")
public record BodiesProperties(
        @Nullable DataSize compressAbove,
        @DefaultValue("false") boolean compressEncrypted) {

    private static final String COMPRESS_ABOVE = "safebunny.bodies.compress-above";

    /** @throws ConfigurationException SB-1301 when no body could be larger than the size from which on they are compressed, or all are */
    public Compression compression(DataSize maxMessageSize) {
        if (compressAbove == null) {
            return new Compression(Long.MAX_VALUE, compressEncrypted);
        }
        if (compressAbove.toBytes() < 1 || compressAbove.compareTo(maxMessageSize) > 0) {
            throw InvalidProperty.of(
                    COMPRESS_ABOVE,
                    compressAbove,
                    "it must be 1B to safebunny.max-message-size, %sB".formatted(maxMessageSize.toBytes()),
                    "Set %s=1KB, or remove it so that nothing is compressed.".formatted(COMPRESS_ABOVE));
        }
        return new Compression(compressAbove.toBytes(), compressEncrypted);
    }
}
