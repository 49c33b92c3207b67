// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.message.PoisonReason;
import java.time.Duration;

/** What happens to a message whose handling failed. Closed. */
public sealed interface RecoveryAction {

    /** Leaves the consumer and comes back to this queue after the delay, as its next attempt. */
    record RetryDelayed(Duration delay) implements RecoveryAction {}

    /** Leaves the consumer and comes back after the delay without having cost an attempt: nothing was tried. */
    record ComeBack(Duration delay) implements RecoveryAction {}

    /** Goes to the poison queue and stays there until an operator acts. */
    record Poison(PoisonReason reason) implements RecoveryAction {}
}
