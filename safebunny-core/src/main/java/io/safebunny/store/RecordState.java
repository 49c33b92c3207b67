// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

/** How far the handling of a message has got. */
public enum RecordState {
    /** Somebody is handling it: another delivery must wait until the claim is given up or its lease is over. */
    CLAIMED,
    /** It failed or was given back: the next delivery handles it again. */
    RELEASED,
    /** Its effects are done and its publications are decided, but perhaps not all sent: the next delivery sends them. */
    COMPLETED,
    /** Everything is done: the next delivery is a duplicate. Final. */
    DISPATCHED,
    /** It was given up and set aside: only a replay of its poison copy is handled. Final. */
    POISONED,
    /** It is a step of a saga that is undone: it is not handled, or not again, whoever sends it. Final. */
    UNDONE;

    /** Whether the record may be removed after its {@link Retention}. */
    public boolean isFinal() {
        return this == DISPATCHED || this == POISONED || this == UNDONE;
    }
}
