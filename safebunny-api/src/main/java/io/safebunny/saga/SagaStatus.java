// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

/** Status of a saga. */
public enum SagaStatus {
    /** It waits for messages. */
    ACTIVE,
    /** It failed, and its steps are being undone, the last one first. */
    COMPENSATING,
    /** It has ended successfully. */
    COMPLETED,
    /** It failed, and every step with an undo has been undone, or skipped by an operator. */
    FAILED,
    /** An undo was set aside: an operator has to repair it, see {@link Sagas}. */
    COMPENSATION_FAILED,
    /** A message to the saga was set aside: an operator has to repair it, see {@link Sagas}. */
    STUCK;

    /** Whether nothing more happens to the saga. */
    public boolean isEnded() {
        return this == COMPLETED || this == FAILED;
    }

    /** Whether it cannot go on until an operator has repaired it. */
    public boolean needsRepair() {
        return this == COMPENSATION_FAILED || this == STUCK;
    }
}
