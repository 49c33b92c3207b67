// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.HandlerStore;
import io.safebunny.handling.Run;
import io.safebunny.store.record.MessageRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One delivery's claim of its message, and what its handler keeps in the store. Used by the thread that handles it, in this order: {@link
 * #enter}, {@link #complete} if the run has succeeded, both again if others were faster; {@link #release} unless it is complete; and {@link
 * #close} in any case.
 */
public interface Claim extends HandlerStore, AutoCloseable {

    /**
     * To be called before the handler runs. Waits if it must run alone; bars the step that the message undoes.
     *
     * @return to be closed after the run
     * @throws NotHandledException the handler cannot run now
     */
    Hold enter() throws InterruptedException;

    /**
     * Durably records that the message is handled, together with what the run has left behind.
     *
     * @param run that has succeeded
     */
    Completion complete(Run run);

    /**
     * Gives up the claim after a failure, and records the ending. A store that does not answer is only logged.
     *
     * @param failure of the run, or of the completion
     * @return the ending, with what its record says; or {@code Returned}, because another delivery has the message by now
     */
    Ending.Failed release(Throwable failure, Ending.Failed ending);

    /** Whether the store did not answer the last time. */
    default boolean isUnanswered() {
        return false;
    }

    /** Stops renewals, and gives back the store's permit. */
    @Override
    void close();

    /** The result of the write that records the message as handled. */
    sealed interface Completion {

        Completion OVERTAKEN = new Overtaken();
    }

    /**
     * The message is handled, whatever fails from now on.
     *
     * @param toSend the record whose publications are still to be sent; {@code null} if there are none
     * @param then actions to run now
     */
    record Written(@Nullable MessageRecord toSend, List<Runnable> then) implements Completion {}

    /** Others changed what the handler joined: nothing is written, the claim still holds, and the handler has to run again. */
    record Overtaken() implements Completion {}

    /**
     * It is not handled.
     *
     * @param failure the handler's, or why its success could not be written
     */
    record NotWritten(Throwable failure) implements Completion {}
}
