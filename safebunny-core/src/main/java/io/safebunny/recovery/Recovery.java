// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.recovery.RecoveryAction.ComeBack;

/**
 * What was decided about a failure. Whoever has a part in it is given this same object: the record is released as the action says, the
 * breaker is told its effect, and the copy is made of both.
 *
 * @param action what happens to the message, and with it to its record
 * @param breaker what the breaker of its type is told
 * @param failure what is told of it, in logs and in the poison copy
 */
public record Recovery(RecoveryAction action, BreakerEffect breaker, Throwable failure) {

    /**
     * Instead of what was decided before: another delivery has the message by now, and what becomes of it is that one's business. This
     * one comes back, to be suppressed if the message is handled by then.
     */
    public static Recovery superseded(NotHandledException by) {
        return new Recovery(new ComeBack(by.delay()), BreakerEffect.Result.NOTHING, by);
    }
}
