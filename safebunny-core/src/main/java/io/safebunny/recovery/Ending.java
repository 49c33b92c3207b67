// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.message.PoisonReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a delivery of a message ends. Decided once; record, breaker, copy, log, meter, span, event and after group are told this same value,
 * so they cannot disagree. Immutable.
 */
public sealed interface Ending {

    Ending HANDLED = new Handled();
    Ending DUPLICATE = new Duplicate();

    /** The handler succeeded, and all that follows from that is done. */
    record Handled() implements Ending {}

    /** The message was handled before, or must not be any more because it was undone. */
    record Duplicate() implements Ending {}

    /** The handler failed, or was not run. */
    sealed interface Failed extends Ending {

        /** The exception to show in logs and in the poison copy. */
        Throwable failure();

        /** What the breaker of the message's type makes of it. */
        BreakerEffect breaker();

        /** What the message's record is to say, if there is one. */
        RecordEffect record();
    }

    /** What an {@link Ending} does to the record of its message. */
    enum RecordEffect {
        /** The claim is given back, so that the next delivery starts where this one did: no attempt is counted. */
        RELEASED,
        /** The claim is given back, and one more attempt counts as failed. */
        ATTEMPT_FAILED,
        /** Set aside: only a replay of its own poison copy is handled again. */
        POISONED
    }

    /** The message leaves the consumer and comes back to this queue after the delay, as its next attempt. */
    record Retried(Duration after, Throwable failure, BreakerEffect breaker) implements Failed {
        @Override
        public RecordEffect record() {
            return RecordEffect.ATTEMPT_FAILED;
        }
    }

    /**
     * The message goes to the poison queue and stays there until an operator acts.
     *
     * @param stored what its record says of that
     */
    record Poisoned(PoisonReason reason, Throwable failure, BreakerEffect breaker, PoisonRecord stored)
            implements Failed {
        @Override
        public RecordEffect record() {
            return RecordEffect.POISONED;
        }

        public Poisoned storedAs(PoisonRecord known) {
            return new Poisoned(reason, failure, breaker, known);
        }
    }

    /**
     * The message comes back without costing an attempt: nothing was tried, losing the delivery may be why it failed, or it is handled, and
     * what it published is to be sent again.
     *
     * @param after the delay of its copy; {@code null} when none is sent because the delivery has gone back to the broker
     */
    record Returned(@Nullable Duration after, Throwable failure, BreakerEffect breaker) implements Failed {

        /** The handler did not run to its end, or what it published is not confirmed. */
        public static Returned because(NotHandledException why) {
            return new Returned(why.delay(), why, BreakerEffect.of(why));
        }

        @Override
        public RecordEffect record() {
            return RecordEffect.RELEASED;
        }
    }

    static Retried retried(Duration after, Throwable failure) {
        return new Retried(after, failure, BreakerEffect.of(failure));
    }

    static Poisoned poisoned(PoisonReason reason, Throwable failure) {
        return new Poisoned(reason, failure, BreakerEffect.of(failure), PoisonRecord.NONE);
    }
}
