// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

/** What the handler does with an order, or whoever places it. */
public enum OrderKind {
    /** Runs a step once and publishes two messages. */
    PLAIN(1),
    /** The same, but takes longer than the interval between renewals of a lease. */
    SLOW(1),
    /** Runs the step and publishes nothing. */
    SILENT(1),
    /** Fails at first, after the step, and is like {@link #PLAIN} when it is retried. */
    FAILS_ONCE(2),
    /** Fails at every attempt. */
    FAILS_ALWAYS(2),
    /** Placed by a transaction of the application; no handler runs. */
    PLACED(0),
    /** The same, with many publications in one transaction. */
    PLACED_IN_BULK(0),
    /** The same, but the transaction is rolled back. */
    ROLLED_BACK(0),
    /** Several that wait in one queue, and may share a transaction. */
    GROUP(0),
    /** The same, but one of them fails at every attempt. */
    GROUP_WITH_POISON(0),
    /** Several that wait in one queue, and may be one batch. */
    BATCH(0),
    /** The same, but one of them fails at every attempt. */
    BATCH_WITH_POISON(0),
    /** Several with one order key, of which the first fails at first. */
    IN_ORDER(0),
    /** The same, and another one fails at every attempt. */
    IN_ORDER_WITH_POISON(0),
    /** Several with one order key, of which the first fails until it is replayed, and holds the others. */
    IN_ORDER_HELD(0),
    /** The same, but the first one is poison at once, and discarded. */
    IN_ORDER_DISCARDED(0),
    /** Like {@link #IN_ORDER}, in a type that is divided into shards. */
    IN_SHARDS(0),
    /** Starts a saga with state, which completes. */
    SAGA_COMPLETES(0),
    /** The same, but the answer to its first step is a scheduled message. */
    SAGA_SCHEDULES(0),
    /** Starts a saga that fails after two steps, both of which are undone. */
    SAGA_FAILS(0),
    /** Starts a saga whose second step is never answered. */
    SAGA_LATE(0),
    /** Starts a saga whose second step is set aside by its participant, and undone when nothing comes of it. */
    SAGA_BARRED(0),
    /** Starts a saga one of whose messages is set aside, and which a person gives up. */
    SAGA_STUCK(0);

    private static final int BULK = 10;
    private static final int LANE = 4;

    private final int runs;

    OrderKind(int runs) {
        this.runs = runs;
    }

    /** How often its handler runs if no fault happens. */
    public int runs() {
        return runs;
    }

    public boolean isHandled() {
        return runs > 0;
    }

    /** Number of correlations involved. */
    public int correlations() {
        return this == PLACED_IN_BULK || isGroup() ? BULK : isInOrder() ? LANE : 1;
    }

    /** Whether it is several, each with a message of its own. */
    public boolean isGroup() {
        return this == GROUP || this == GROUP_WITH_POISON || isBatch();
    }

    /** Whether it is several, handled one after the other. */
    public boolean isInOrder() {
        return this == IN_ORDER || this == IN_ORDER_WITH_POISON || isHeld() || isInShards();
    }

    /** Whether the first of several holds the others, until a person decides on it. */
    public boolean isHeld() {
        return this == IN_ORDER_HELD || this == IN_ORDER_DISCARDED;
    }

    /** Whether it is several, forwarded to the shard of their key. */
    public boolean isInShards() {
        return this == IN_SHARDS;
    }

    /** Whether one call of the handler takes several. */
    public boolean isBatch() {
        return this == BATCH || this == BATCH_WITH_POISON;
    }

    /** Whether one of several fails at every attempt. */
    public boolean hasPoison() {
        return this == GROUP_WITH_POISON || this == BATCH_WITH_POISON || this == IN_ORDER_WITH_POISON;
    }

    /** Whether a saga with state takes it. */
    public boolean isOfSaga() {
        return name().startsWith("SAGA_");
    }

    public boolean isPoisoned() {
        return this == FAILS_ALWAYS;
    }

    public boolean publishes() {
        return this == PLAIN || this == SLOW || this == FAILS_ONCE;
    }
}
