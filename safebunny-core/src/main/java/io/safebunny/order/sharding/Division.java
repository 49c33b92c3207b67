// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import java.time.Instant;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Among how many shards the messages of a type are divided. Immutable.
 *
 * @param count of shards that messages have been forwarded to; 0 if a version without shards has handled them since
 * @param change to another number of them; {@code null} if there is none under way
 */
record Division(int count, @Nullable Change change) {

    /** Among so many, for good. */
    Division(int count) {
        this(count, null);
    }

    /**
     * A change of the number of shards. Nothing is forwarded until all are drained.
     *
     * @param to the number that is to be
     * @param token tells its marks from those of other changes
     * @param drained shards in which nothing is left of what was forwarded before the change
     */
    record Change(int to, String token, SortedSet<Integer> drained, Instant since) {

        Change {
            drained = Collections.unmodifiableSortedSet(new TreeSet<>(drained));
        }
    }

    /** Of messages that are no longer divided. */
    static final Division NONE = new Division(0);

    /** How many shards may have messages. */
    int most() {
        return change == null ? count : Math.max(count, change.to);
    }

    /** Begins a change. */
    Division changing(int to, String token, Instant now) {
        return new Division(count, new Change(to, token, new TreeSet<>(), now));
    }

    /** Without the change, of which nothing has come yet. */
    Division unchanged() {
        return new Division(count);
    }

    /** The change is done. */
    Division changed() {
        return change == null ? this : new Division(change.to);
    }

    /**
     * One more shard is drained.
     *
     * @param token of the mark that was found there
     * @return this one if the mark is of another change, or is noted already
     */
    Division drained(int shard, String token) {
        if (change == null || !change.token.equals(token) || change.drained.contains(shard)) {
            return this;
        }
        SortedSet<Integer> more = new TreeSet<>(change.drained);
        more.add(shard);
        return new Division(count, new Change(change.to, token, more, change.since));
    }

    /** Shards that are not drained yet; empty if there is no change. */
    SortedSet<Integer> undrained() {
        SortedSet<Integer> left = new TreeSet<>();
        for (int shard = 0; change != null && shard < count; shard++) {
            if (!change.drained.contains(shard)) {
                left.add(shard);
            }
        }
        return left;
    }
}
