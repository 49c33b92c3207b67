// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

/** How far a saga has got. */
public enum SagaStatus {
    /** It waits for messages. */
    ACTIVE,
    /** It failed, and its steps are being undone, the last one first. */
    COMPENSATING,
    /** It has ended well. */
    COMPLETED,
    /** It has ended, and what had an undo is undone, or was skipped by a person. */
    FAILED,
    /** An undo was set aside: a person has to look after it. */
    COMPENSATION_FAILED,
    /** A message to the saga was set aside: a person has to look after it. */
    STUCK;

    /** Whether nothing more happens to it. */
    public boolean isEnded() {
        return this == COMPLETED || this == FAILED;
    }

    /** Whether it goes on only when a person has looked after it. */
    public boolean needsRepair() {
        return this == COMPENSATION_FAILED || this == STUCK;
    }
}
