// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.OrderKey;
import java.util.Collections;
import java.util.NavigableSet;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Into how many shards the order keys of a type are divided, and which of them an instance consumes. All instances of a node divide a type
 * in the same way; each says for itself to which shards it listens. Immutable.
 *
 * @param count 1 to {@value #MOST}
 * @param listened numbers of the shards that this instance consumes: at least one, each from 0 to below {@code count}
 */
public record Sharding(int count, SortedSet<Integer> listened) {

    /** As many as there are buckets of order keys: more would stay empty. */
    public static final int MOST = 256;

    private static final int BUCKETS = 256;
    private static final Pattern RANGE = Pattern.compile("(\\d{1,3})(?:\\s*-\\s*(\\d{1,3}))?");

    /** @throws MisuseException SB-5001 if a number is out of range, or no shard is listened to */
    public Sharding {
        if (count < 1 || count > MOST) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid number of shards [%s]: it must be 1 to %s.".formatted(count, MOST));
        }
        listened = Collections.unmodifiableSortedSet(new TreeSet<>(listened));
        if (listened.isEmpty() || listened.first() < 0 || listened.last() >= count) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid shards to listen to %s: they must be %s.".formatted(listened, syntax(count)));
        }
    }

    /** Of an instance that listens to all shards. */
    public static Sharding into(int count) {
        return new Sharding(count, all(count));
    }

    /**
     * Reads which shards an instance listens to, such as {@code 0-15} or {@code 0,3,8-11}.
     *
     * @param listen blank for all
     * @throws MisuseException SB-5001 if it is not of the {@link #syntax}, or the count is out of range
     */
    public static Sharding parse(int count, String listen) {
        if (listen.isBlank()) {
            return into(count);
        }
        NavigableSet<Integer> listened = new TreeSet<>();
        for (String range : listen.split(",", -1)) {
            Matcher found = RANGE.matcher(range.strip());
            int first = found.matches() ? Integer.parseInt(found.group(1)) : count;
            int last = found.matches() && found.group(2) != null ? Integer.parseInt(found.group(2)) : first;
            if (first > last || last >= count) {
                throw new MisuseException(
                        MisuseException.ARGUMENT,
                        "Invalid shards to listen to [%s]: they must be %s.".formatted(listen, syntax(count)));
            }
            IntStream.rangeClosed(first, last).forEach(listened::add);
        }
        return new Sharding(count, listened);
    }

    /** What {@link #parse} takes, for error messages. */
    public static String syntax(int count) {
        return "numbers from 0 to %s, with commas in between, or ranges such as 0-%s; or absent for all shards"
                .formatted(count - 1, count - 1);
    }

    private static NavigableSet<Integer> all(int count) {
        NavigableSet<Integer> all = new TreeSet<>();
        IntStream.range(0, count).forEach(all::add);
        return all;
    }

    /**
     * The number of the shard to which the messages of a key belong. The same on all instances and for ever: it depends on the key and the
     * count only.
     *
     * @param key {@code null} if a message has none that can be read
     */
    public int of(@Nullable OrderKey key) {
        return key == null ? 0 : key.bucket() * count / BUCKETS;
    }

    /** Whether this instance listens to all shards. */
    public boolean isAll() {
        return listened.size() == count;
    }

    /** The shards that this instance listens to, as {@link #parse} reads them: {@code 0,3,8-11}. */
    public String ranges() {
        StringJoiner ranges = new StringJoiner(",");
        for (int first : listened) {
            if (!listened.contains(first - 1)) {
                int last = first;
                while (listened.contains(last + 1)) {
                    last++;
                }
                ranges.add(first == last ? String.valueOf(first) : first + "-" + last);
            }
        }
        return ranges.toString();
    }
}
