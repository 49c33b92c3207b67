// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.identity.IdScheme;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.identity.MarkerMaskIdScheme;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How message ids are made.
 *
 * @param scheme How message ids are computed. The scheme marker-mask is for compatibility only: two nodes that continue
 *     the same message give two different messages one id, and correlation ids must be UUIDs.
 */
@ConfigurationProperties("safebunny.ids")
record IdsProperties(@DefaultValue("sb-lineage") Scheme scheme) {

    IdScheme toScheme() {
        return switch (scheme) {
            case SB_LINEAGE -> new LineageIdScheme();
            case MARKER_MASK -> new MarkerMaskIdScheme();
        };
    }

    /** How message ids are computed. */
    enum Scheme {
        /** A hash of the whole ancestry of the message. */
        SB_LINEAGE,
        /** The marker laid over the tail of the correlation id, as in the thesis. */
        MARKER_MASK
    }
}
