// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.identity.MarkerMaskIdScheme;
import io.safebunny.spi.identity.IdScheme;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How message ids are made.
 *
 * @param scheme How message ids are computed. The scheme marker-mask is for compatibility only: two nodes that continue
 *     the same message give two different messages one id, and correlation ids must be UUIDs.
 * @param secret Text of at least 32 bytes that goes into the ids of sb-lineage, so that other nodes cannot compute and use them
 *     first. All instances of the node share it. Not set: whoever sees a message can compute the ids of those that follow.
 *     Changing it changes ids: what is published again afterwards, by a message in work or with the same key, is no duplicate.
 */
@ConfigurationProperties("safebunny.ids")
record IdsProperties(
        @DefaultValue("sb-lineage") Scheme scheme, @Nullable String secret) {

    IdScheme toScheme() {
        if (secret == null) {
            return switch (scheme) {
                case SB_LINEAGE -> new LineageIdScheme();
                case MARKER_MASK -> new MarkerMaskIdScheme();
            };
        }
        if (scheme == Scheme.MARKER_MASK) {
            throw new ConfigurationException(
                    "SB-1307",
                    "safebunny.ids.secret is set, and the ids of safebunny.ids.scheme=marker-mask have no use for it.",
                    "Remove one of the two.");
        }
        if (secret.contains(
                "${")) { // which Spring leaves as it is, for everybody to read in the application's configuration
            throw new ConfigurationException(
                    "SB-1307",
                    "safebunny.ids.secret is not known: nothing resolves the placeholder in it.",
                    "Set the environment variable or the property that it names, the same in all instances of the node, or remove safebunny.ids.secret.");
        }
        byte[] key = secret.getBytes(StandardCharsets.UTF_8);
        if (key.length < LineageIdScheme.SHORTEST_SECRET) {
            throw new ConfigurationException(
                    "SB-1307",
                    "safebunny.ids.secret is too short [bytes=%d]: it must have at least %d."
                            .formatted(key.length, LineageIdScheme.SHORTEST_SECRET),
                    "Set it to what 'openssl rand -base64 32' prints, the same in all instances of the node, or remove it.");
        }
        return LineageIdScheme.withSecret(key);
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "IdsProperties[scheme=%s]".formatted(scheme);
    }

    /** How message ids are computed. */
    enum Scheme {
        /** A hash of the whole ancestry of the message. */
        SB_LINEAGE,
        /** The marker laid over the tail of the correlation id, as in the thesis. */
        MARKER_MASK
    }
}
