// SPDX-License-Identifier: Apache-2.0
package io.safebunny.keys;

import java.util.List;
import java.util.Map;

/**
 * Whether a node still needs a key, as far as one of its instances knows. Immutable.
 *
 * @param removable only if nothing was found, and every place is known
 * @param usedAt how often it was found, by place
 * @param unknown places that are not known, each with why and what to do
 * @param sentence all of it in words
 */
public record KeyVerdict(
        String key, boolean removable, Map<Place, Long> usedAt, List<String> unknown, String sentence) {

    public KeyVerdict {
        usedAt = Map.copyOf(usedAt);
        unknown = List.copyOf(unknown);
    }
}
