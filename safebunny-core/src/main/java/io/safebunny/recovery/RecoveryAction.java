// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.message.PoisonReason;
import java.time.Duration;

/** What happens to a message whose handling failed. Closed. */
public sealed interface RecoveryAction {

    /** What the record of the message is to say, where there is one. */
    RecordEffect record();

    /** What a {@link RecoveryAction} does to the record of its message. */
    enum RecordEffect {
        /** This delivery keeps its claim. */
        STAYS_CLAIMED,
        /** The next delivery of the message takes over where this one began: no attempt is counted. */
        RELEASED,
        /** One attempt more has failed. */
        ATTEMPT_FAILED,
        /** Set aside: only its own poison copy is handled again. */
        POISONED
    }

    /** Its handler is run again after the delay, within this delivery. */
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

    /** Leaves the consumer and comes back after the delay without having cost an attempt: nothing was tried. */
    record ComeBack(Duration delay) implements RecoveryAction {
        @Override
        public RecordEffect record() {
            return RecordEffect.RELEASED;
        }
    }

    /**
     * The delivery is the broker's again, which delivers the message as it was: nothing is sent. No attempt is counted, for just that may
     * have made it fail: handlers are interrupted when the grace of a stop is over.
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
