// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.Companions;
import io.safebunny.handling.JointRecords;
import io.safebunny.handling.StepStore;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.middleware.Next;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.store.MessageRecord;
import org.jspecify.annotations.Nullable;

/**
 * One delivery's claim of its message. Used by the thread that handles it, in this order: {@link #take}, {@link #run}, {@link #complete}
 * or {@link #release}, and {@link #close} in any case.
 */
interface MessageClaim extends StepStore, Companions, AutoCloseable {

    /**
     * Claims the message. With a store that limits concurrent transactions, waits for a turn first.
     *
     * @return our claim, or the record of the completed, dispatched or undone message: then only {@link #close} may follow
     * @throws NotHandledException another delivery of the message is being handled, or the store did not answer
     * @throws InvalidMessageException the message was or must be set aside
     */
    MessageRecord take();

    /** Runs the handler as soon as it may run: a suspect waits to be alone, and others wait for it. */
    void run(Next handler) throws Exception;

    /**
     * Durably records that the message is handled, together with its publications and what was {@linkplain JointRecords joined}.
     *
     * @return the record of the handled message; {@code null} when what was joined was overtaken: nothing is written, the claim
     *     still holds, and the handler is to run again
     * @throws NotHandledException the claim is lost, or the store did not answer
     * @throws InvalidMessageException the store refuses the record for good
     */
    @Nullable
    MessageRecord complete();

    /**
     * Gives up the claim after a failure, and records what becomes of the message. If the store does not answer, that is only
     * logged.
     *
     * @throws NotHandledException another delivery has the message by now, and decides what becomes of it
     */
    void release(Throwable failure, RecoveryAction next);

    /** Stops renewals and gives back the turn. */
    @Override
    void close();
}
