// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.message.PoisonReason;
import java.time.Duration;

/** What happens to a message whose handling failed. */
public sealed interface RecoveryAction {

    /** What the message's record is to say, if there is one. */
    RecordEffect record();

    /** What a {@link RecoveryAction} does to the record of its message. */
    enum RecordEffect {
        /** This delivery keeps its claim. */
        STAYS_CLAIMED,
        /** The claim is given back, so that the next delivery starts where this one did: no attempt is counted. */
        RELEASED,
        /** The claim is given back, and one more attempt counts as failed. */
        ATTEMPT_FAILED,
        /** Set aside: only a replay of its own poison copy is handled again. */
        POISONED
    }

    /** The handler runs again after the delay, within this delivery. */
    record RetryNow(Duration delay) implements RecoveryAction {
        @Override
        public RecordEffect record() {
            return RecordEffect.STAYS_CLAIMED;
        }
    }

    /** Leaves the consumer and comes back to this queue after the delay, as its next attempt. */
    record RetryDelayed(Duration delay) implements RecoveryAction {
        @Override
        public RecordEffect record() {
            return RecordEffect.ATTEMPT_FAILED;
        }
    }

    /** Leaves the consumer and comes back after the delay without costing an attempt, because nothing was tried. */
    record ComeBack(Duration delay) implements RecoveryAction {
        @Override
        public RecordEffect record() {
            return RecordEffect.RELEASED;
        }
    }

    /**
     * Nothing is sent: the delivery has gone back to the broker, which redelivers the message unchanged. No attempt is counted,
     * because losing the delivery may be why it failed: handlers are interrupted when the grace period of a stop is over.
     */
    record Redelivery() implements RecoveryAction {
        @Override
        public RecordEffect record() {
            return RecordEffect.RELEASED;
        }
    }

    /** Goes to the poison queue and stays there until an operator acts. */
    record Poison(PoisonReason reason) implements RecoveryAction {
        @Override
        public RecordEffect record() {
            return RecordEffect.POISONED;
        }
    }
}
