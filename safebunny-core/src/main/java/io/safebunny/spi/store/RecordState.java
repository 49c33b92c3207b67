// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.store;

/** How far the handling of a message has come. */
public enum RecordState {
    /** Somebody is handling it: a second delivery must wait, until the lease is over. */
    CLAIMED,
    /** It failed or was handed back: the next delivery handles it again. */
    RELEASED,
    /** Its effects are done and its publications are decided, but perhaps not all are sent: the next delivery sends them. */
    COMPLETED,
    /** All is done: the next delivery is a duplicate. Final. */
    DISPATCHED,
    /** It was given up and set aside: only a replay from the poison queue handles it again. Final. */
    POISONED;

    /** Whether the record may be forgotten after the retention. */
    public boolean isFinal() {
        return this == DISPATCHED || this == POISONED;
    }
}
