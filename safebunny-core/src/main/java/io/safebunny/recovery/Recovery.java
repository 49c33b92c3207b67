// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.recovery.RecoveryAction.ComeBack;

/**
 * The decision about a failure. Everybody involved gets this same object, so that record, breaker and copy cannot disagree: the
 * action decides about record and copy, the effect about the breaker.
 *
 * @param action what happens to the message and its record
 * @param breaker effect on the breaker of the message's type
 * @param failure the exception to show in logs and in the poison copy
 */
public record Recovery(RecoveryAction action, BreakerEffect breaker, Throwable failure) {

    /**
     * Replaces an earlier decision because another delivery has taken the message and now decides what becomes of it. This
     * delivery comes back, and is suppressed if the message has been handled by then.
     */
    public static Recovery superseded(NotHandledException by) {
        return new Recovery(new ComeBack(by.delay()), BreakerEffect.Result.NOTHING, by);
    }
}
