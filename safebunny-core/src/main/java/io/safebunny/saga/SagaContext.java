// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import io.safebunny.failure.MisuseException;
import java.time.Duration;
import java.time.Instant;

/**
 * What a handler of a {@link BunnySaga} may do besides returning a state. Nothing of it happens unless the handler succeeds.
 * Valid on the handler's thread as long as it runs.
 */
public interface SagaContext {

    /** The saga's id, which is the correlation id of its commands. */
    String sagaId();

    /**
     * Sends a command and remembers how to undo it. Both are part of this handling: they happen once, or not at all. The undo is
     * sent when the saga {@linkplain #fail fails}, also if the command's reply never came: a lost reply does not prove that
     * nothing was done. Whoever takes the command makes sure that it is not done after its undo.
     *
     * @param name unique within the saga, 1 to 100 characters
     * @param undo a message for the same node; its handler must be able to undo a command that did only part of its work
     * @throws MisuseException SB-5012 when the saga already has a step of that name, would take the undo itself, or has ended
     */
    void step(String name, Object command, Object undo);

    /** Sends a command that nothing can or need undo; the history says so when the saga fails. See {@link #step(String, Object, Object)}. */
    void step(String name, Object command);

    /**
     * Forgets the undo of a step, because it was refused and has no effect.
     *
     * @return whether there was such a step
     */
    boolean forget(String name);

    /**
     * Runs the saga's {@link OnTimeout} method of that name when the time is over, unless it is cancelled before. The same name
     * again moves the timeout.
     *
     * @param after from now; zero for at once, any length. What is due after the year 9999 is kept as due at its end
     * @throws MisuseException SB-5012 when it is negative, or the saga has no such method, or has ended
     */
    void timeout(String name, Duration after);

    /** Like {@link #timeout(String, Duration)}; a moment in the past means at once. */
    void timeoutAt(String name, Instant due);

    /** @return whether there was one: from then on it does not run. {@code false} when it has run, or was never set */
    boolean cancelTimeout(String name);

    /** Ends the saga well when this handler has succeeded. Its timeouts are cancelled, and later messages to it are ignored. */
    void complete();

    /**
     * Ends the saga by undoing its steps, the last one first and one at a time. Its timeouts are cancelled. When the last undo is
     * acknowledged, {@link SagaFailed} is published.
     *
     * @param reason for people, at most 500 characters are kept
     */
    void fail(String reason);
}
