// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.Run;
import io.safebunny.middleware.Next;
import io.safebunny.recovery.Ending;
import io.safebunny.store.MessageRecord;
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

    /** Runs the handler as soon as it may run, and an undo after its step is barred. */
    Run run(Next handler);

    /**
     * Durably records that the message is handled, together with what the run has left behind.
     *
     * @param run that has succeeded
     */
    Completion complete(Run run);

    /**
     * Gives up the claim after a failure, and records what becomes of the message. If the store does not answer, that is only logged.
     *
     * @param failure of the run, or of the completion
     * @return the ending, with what is stored of it; or that the message comes back, because another delivery has it by now
     */
    Ending.Failed release(Throwable failure, Ending.Failed ending);

    /** Stops renewals and gives back the turn. */
    @Override
    void close();

    /** What became of the write that says a message is handled. */
    sealed interface Completion {

        Completion OVERTAKEN = new Overtaken();
    }

    /**
     * It is handled, whatever fails from now on.
     *
     * @param toSend the record with its publications; {@code null} when they are sent
     * @param then to be run now
     */
    record Written(@Nullable MessageRecord toSend, List<Runnable> then) implements Completion {}

    /** What the handler joined was changed by others: nothing is written, the claim still holds, and the handler is to run again. */
    record Overtaken() implements Completion {}

    /**
     * It is not handled.
     *
     * @param failure the handler's, or why its success could not be written
     */
    record NotWritten(Throwable failure) implements Completion {}
}
