// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.StepStore;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.middleware.Next;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.spi.store.MessageRecord;

/**
 * One delivery's claim of its message. Used by the thread that handles it, in this order: {@link #take}, {@link #run}, {@link #complete}
 * or {@link #release}, and {@link #close} in any case.
 */
interface MessageClaim extends StepStore, AutoCloseable {

    /**
     * Waits until it is this message's turn, where the store says so.
     *
     * @return our claim, or the record of the completed or dispatched message: then only {@link #close} may follow
     * @throws NotHandledException another delivery of the message is being handled, or the store did not answer
     * @throws InvalidMessageException the message was or must be set aside
     */
    MessageRecord take();

    /** Runs the handler as soon as it may. */
    void run(Next handler) throws Exception;

    /**
     * Makes durable that the message is handled, with what it published.
     *
     * @return the record of the handled message
     * @throws NotHandledException the claim is lost, or the store did not answer
     * @throws InvalidMessageException the store refuses the record for good
     */
    MessageRecord complete();

    /**
     * Gives the message up after a failure, and records what becomes of it. A store that does not answer is only logged.
     *
     * @throws NotHandledException the message is another delivery's by now, and so is what becomes of it
     */
    void release(Throwable failure, RecoveryAction next);

    /** Lets others go on. */
    @Override
    void close();
}
