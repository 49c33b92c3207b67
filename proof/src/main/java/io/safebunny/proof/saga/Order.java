// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import java.util.List;
import java.util.stream.IntStream;

/** Starts a saga; its id is the saga's. */
public record Order(String id, OrderKind kind) {

    /** Not the first, which is handled before the others have arrived. */
    private static final String POISON = "-3";

    private static final String FIRST = "-1";

    /** A key of the last shard of two, and of four. */
    private static final String LAST_SHARD = "last-shard";

    /** Correlation ids of the messages published when it is placed. */
    public List<String> parts() {
        return IntStream.rangeClosed(1, kind.correlations())
                .mapToObj(part -> id + '-' + part)
                .toList();
    }

    /** Each part as an order of its own. */
    public List<Order> members() {
        return parts().stream().map(part -> new Order(part, kind)).toList();
    }

    /** What it has in common with those with which it is kept in order. */
    public String orderKey() {
        if (kind.isInShards()) {
            return LAST_SHARD;
        }
        return kind.isInOrder() ? id.substring(0, id.lastIndexOf('-')) : id;
    }

    /** Whether it is the first of several. */
    boolean isFirst() {
        return id.endsWith(FIRST);
    }

    /** Whether this part, of several in order, fails at its first attempt and is retried. */
    public boolean failsAtFirst(String part) {
        return kind != OrderKind.IN_ORDER_DISCARDED && (part.endsWith(FIRST) || isPoison(part));
    }

    /** Whether this part fails at every attempt, or is discarded after the first one. */
    public boolean isPoison(String part) {
        return kind == OrderKind.IN_ORDER_DISCARDED ? part.endsWith(FIRST) : kind.hasPoison() && part.endsWith(POISON);
    }
}
