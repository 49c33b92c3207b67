// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

/** State of the handling of a message. */
public enum RecordState {
    /** It is being handled: another delivery must wait until the claim is released or its lease is over. */
    CLAIMED,
    /** It failed or was returned: the next delivery handles it again. */
    RELEASED,
    /**
     * It waits in the store for its turn among the messages with its order key, with itself as the only message in {@code outgoing}: a
     * delivery of it is a duplicate.
     */
    PARKED,
    /** It was handled, but perhaps not all of its publications have been sent: the next delivery sends them. */
    COMPLETED,
    /** Everything is done: the next delivery is a duplicate. Final. */
    DISPATCHED,
    /** It was set aside: only a replay of its poison copy is handled. Final. */
    POISONED,
    /** It is a step of a saga that has been undone: it is never handled (again), whoever sends it. Final. */
    UNDONE;

    /** Whether the record may be removed after its retention. */
    public boolean isFinal() {
        return this == DISPATCHED || this == POISONED || this == UNDONE;
    }
}
