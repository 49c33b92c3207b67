// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.identity.IdScheme;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.identity.MarkerMaskIdScheme;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How message ids are computed.
 *
 * @param scheme How message ids are computed. Use marker-mask only for compatibility: with it, two nodes that continue the same
 *     message give the same id to two different messages, and correlation ids must be UUIDs.
 * @param secret Secret of at least 32 bytes that goes into the ids of sb-lineage, so that other nodes cannot compute them and use
 *     them first. All instances of the node share it. If not set, whoever sees a message can compute the ids of the messages that
 *     follow from it. Changing it changes ids: messages published again afterwards, by a message in work or with the same key,
 *     are not recognised as duplicates.
 */
@ConfigurationProperties("safebunny.ids")
public record IdsProperties(
        @DefaultValue("sb-lineage") Scheme scheme, @Nullable String secret) {

    public IdScheme toScheme() {
        if (secret == null) {
            return switch (scheme) {
                case SB_LINEAGE -> new LineageIdScheme();
                case MARKER_MASK -> new MarkerMaskIdScheme();
            };
        }
        if (scheme == Scheme.MARKER_MASK) {
            throw new ConfigurationException(
                    "SB-1307",
                    "safebunny.ids.secret is set, but safebunny.ids.scheme=marker-mask does not use it.",
                    "Remove one of the two.");
        }
        // Spring leaves an unresolved placeholder as it is, and its
        // text is no secret, because the configuration shows it
        if (secret.contains("${")) {
            throw new ConfigurationException(
                    "SB-1307",
                    "safebunny.ids.secret has an unresolved placeholder.",
                    "Set the environment variable or the property that it names, the same in all instances of the node, or remove safebunny.ids.secret.");
        }
        byte[] key = secret.getBytes(StandardCharsets.UTF_8);
        if (key.length < LineageIdScheme.SHORTEST_SECRET) {
            throw new ConfigurationException(
                    "SB-1307",
                    "safebunny.ids.secret is too short [bytes=%s]: it must have at least %s."
                            .formatted(key.length, LineageIdScheme.SHORTEST_SECRET),
                    "Set it to what 'openssl rand -base64 32' prints, the same in all instances of the node, or remove it.");
        }
        return LineageIdScheme.withSecret(key);
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return "IdsProperties[scheme=%s]".formatted(scheme);
    }

    /** How message ids are computed. */
    public enum Scheme {
        /** A hash of the whole ancestry of the message. */
        SB_LINEAGE,
        /** The correlation id with its tail overwritten by the marker, as in the thesis. */
        MARKER_MASK
    }
}
