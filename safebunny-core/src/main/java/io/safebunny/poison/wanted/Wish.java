// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.wanted;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;

/** Whether a saga wants that the command or the undo of one of its steps, which was set aside, is handled after all. */
public enum Wish {
    /** It waits for that. */
    WANTED,
    /** It has ended well without it: its effect may still be wanted. */
    NOT_AWAITED,
    /** An operator has skipped the step, because somebody has done it, or undone it, by hand, or nobody wants that. */
    SKIPPED,
    /** Its undo is acknowledged. */
    UNDONE,
    /** It has failed, and wants its steps undone. */
    FAILED;

    /** @param isUndo whether the message is the undo of the step rather than its command */
    public static Wish of(SagaStatus saga, StepStatus step, boolean isUndo) {
        if (step == StepStatus.SKIPPED) {
            return SKIPPED;
        } else if (isUndo) {
            return step == StepStatus.UNDONE ? UNDONE : WANTED;
        } else if (step != StepStatus.SENT) {
            return FAILED;
        }
        return switch (saga) {
            case ACTIVE, STUCK -> WANTED;
            case COMPLETED -> NOT_AWAITED;
            case COMPENSATING, COMPENSATION_FAILED, FAILED -> FAILED;
        };
    }
}
