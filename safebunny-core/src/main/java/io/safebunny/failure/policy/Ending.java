// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import io.safebunny.message.PoisonReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a delivery of a message ends. Decided once: record, breaker, copy, log, meter, span, event and after group all get this value, so
 * they cannot disagree. Immutable.
 */
public sealed interface Ending {

    Ending HANDLED = new Handled(null);
    Ending DUPLICATE = new Duplicate();

    /**
     * The handler succeeded, or what ran in its place, and everything that follows from that is done.
     *
     * @param expired how the message would have ended because its deadline had passed, or its person was erased, if it had not been dropped, or
     *     told to the method for expired messages; {@code null} if it was its handler that succeeded
     */
    record Handled(@Nullable Poisoned expired) implements Ending {}

    Ending PARKED = new Parked();

    /** The message is stored, and is handled from there when it is its turn among those with its order key. */
    record Parked() implements Ending {}

    /** The message was handled before, or must not be handled any more because it was undone. */
    record Duplicate() implements Ending {}

    /** The handler failed, or was not run. */
    sealed interface Failed extends Ending {

        /** The exception to show in logs and in the poison copy. */
        Throwable failure();

        /** What the failure means for the breaker of the message's type. */
        BreakerEffect breaker();

        /** What to write to the message's record, if there is one. */
        RecordEffect record();
    }

    /** What an {@link Ending} does to the record of its message. */
    enum RecordEffect {
        /** The claim is released without counting an attempt. */
        RELEASED,
        /** The claim is released, and one more failed attempt is counted. */
        ATTEMPT_FAILED,
        /** The message is set aside: only a replay of its own poison copy is handled. */
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
     * @param stored what the message's record says about this
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
     * The message comes back without costing an attempt: the handler was not run, it may have failed because the delivery was lost, or it
     * succeeded and its publications must be sent again.
     *
     * @param after the delay of its copy; {@code null} if none is sent because the broker has taken the delivery back
     */
    record Returned(@Nullable Duration after, Throwable failure, BreakerEffect breaker) implements Failed {

        /** For a handler that did not run to its end, or whose publications are not confirmed. */
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
