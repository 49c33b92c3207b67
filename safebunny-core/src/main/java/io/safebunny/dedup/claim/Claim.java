// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.handling.Run;
import io.safebunny.middleware.Next;
import io.safebunny.recovery.Ending;
import io.safebunny.store.record.MessageRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One delivery's claim of its message. Used by the thread that handles it, in this order: {@link #handle}, again if others were
 * faster; {@link #release} unless it is complete; and {@link #close} in any case.
 */
public interface Claim extends AutoCloseable {

    /** Runs the handler, and completes the message if that succeeds. */
    default Completion handle(Next handler) {
        Run run = run(handler);
        return run.failure() == null ? complete(run) : new NotWritten(run.failure());
    }

    /** Runs the handler. Waits if it must run alone; bars the step before an undo runs. */
    Run run(Next handler);

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
