// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the messages of a type are divided just now. Immutable.
 *
 * @param wanted number of shards that this instance has
 * @param present number of shards that messages have been forwarded to; {@code null} if the store does not answer
 * @param change {@code null} if there is none under way
 * @param problem what could not be found out; {@code null} if nothing
 */
public record ShardStatus(
        String type,
        int wanted,
        @Nullable Integer present,
        @Nullable Resize change,
        List<Line> shards,
        @Nullable String problem) {

    public ShardStatus {
        shards = List.copyOf(shards);
    }

    /**
     * A change to another number of shards, during which nothing is forwarded.
     *
     * @param undrained shards that still have messages of before
     */
    public record Resize(int from, int to, Instant since, List<Integer> undrained) {

        public Resize {
            undrained = List.copyOf(undrained);
        }
    }

    /**
     * One shard.
     *
     * @param waiting messages in its queue; {@code null} if the broker does not tell
     * @param isHeard whether some instance consumes it; {@code null} if the broker does not tell
     * @param isListened whether this instance does, or stands by
     */
    public record Line(
            int shard, @Nullable Long waiting, @Nullable Boolean isHeard, boolean isListened) {}
}
