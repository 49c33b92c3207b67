// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import io.safebunny.failure.InvalidPublicationException;
import java.util.regex.Pattern;

/**
 * {@code marker-mask}, the scheme of the SafeBunny thesis (chapter 7.1), for compatibility: the marker in bijective base 25
 * (letters a to y) overwrites the tail of the correlation id, skipping hyphens. Two nodes that continue the same message, and two
 * publications of one handler, produce the same id: see {@code docs/guarantees.md}. Thread-safe.
 */
public final class MarkerMaskIdScheme implements IdScheme {

    private static final Pattern UUID =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    @Override
    public String idOf(Ancestry ancestry) {
        String correlationId = ancestry.correlationId();
        if (!UUID.matcher(correlationId).matches()) {
            throw new InvalidPublicationException(
                    "Correlation id is not a UUID [correlationId=%s]: the id scheme marker-mask needs one. Use a UUID, or set safebunny.ids.scheme=sb-lineage."
                            .formatted(correlationId));
        }
        char[] id = correlationId.toCharArray();
        int position = id.length - 1;
        for (long rest = ancestry.marker(); rest > 0; rest = (rest - 1) / 25) {
            if (id[position] == '-') {
                position--;
            }
            id[position--] = (char) ('a' + (rest - 1) % 25);
        }
        return new String(id);
    }

    @Override
    public String name() {
        return "marker-mask";
    }
}
