// SPDX-License-Identifier: Apache-2.0
package io.safebunny.keys;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a look has found so far. Immutable.
 *
 * @param begunAt when it began
 * @param endedAt {@code null} while it goes on
 * @param places what was looked at, in order, without {@link Place#QUEUES}
 * @param found how many messages, records or states need a key, by its id and where they are
 */
public record KeyLook(
        Instant begunAt, @Nullable Instant endedAt, List<Looked> places, Map<String, Map<Place, Long>> found) {

    public KeyLook {
        places = List.copyOf(places);
        found = Collections.unmodifiableMap(new TreeMap<>(found));
    }

    /**
     * @param count how many messages, records or states were looked at
     * @param incomplete why there may be more, as a sentence with what to do; {@code null} if all was looked at
     */
    public record Looked(Place place, long count, @Nullable String incomplete) {}
}
