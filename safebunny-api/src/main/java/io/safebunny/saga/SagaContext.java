// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import io.safebunny.failure.MisuseException;
import java.time.Duration;
import java.time.Instant;

/**
 * What a handler of a {@link BunnySaga} may do besides returning a state. Nothing takes effect unless the handler succeeds. Valid
 * on the handler's thread while it runs.
 */
public interface SagaContext {

    /** The saga's id, which is the correlation id of its commands. */
    String sagaId();

    /**
     * Sends a command and remembers how to undo it. Both are part of this handling: they happen once, or not at all. The undo is
     * sent when the saga {@linkplain #fail fails}, even if no reply to the command ever came: a lost reply does not prove that
     * nothing was done. The receiver guarantees that the command is not handled after its undo.
     *
     * @param name unique within the saga, 1 to 100 characters
     * @param undo a message for the same node; its handler must be able to undo a command that did only part of its work
     * @throws MisuseException SB-5012 when the saga already has a step of that name, would take the undo itself, or has ended
     */
    void step(String name, Object command, Object undo);

    /**
     * Sends a command that cannot or need not be undone; if the saga fails, its history notes that. See {@link #step(String, Object,
     * Object)}.
     */
    void step(String name, Object command);

    /**
     * Forgets a step and its undo, because the receiver refused the command and it has had no effect.
     *
     * @return whether there was such a step
     */
    boolean forget(String name);

    /**
     * Runs the saga's {@link OnTimeout} method of that name after the given time, unless it is cancelled first. Using the same
     * name again moves the timeout.
     *
     * @param after time from now, of any length; zero means at once. A timeout beyond the year 9999 is due at the end of that
     *     year
     * @throws MisuseException SB-5012 if the time is negative, or the saga has no such method or has ended
     */
    void timeout(String name, Duration after);

    /** Like {@link #timeout(String, Duration)}; a moment in the past means at once. */
    void timeoutAt(String name, Instant due);

    /** @return {@code true}: it will not run; {@code false}: it has run, or was never set */
    boolean cancelTimeout(String name);

    /** Completes the saga once this handler has succeeded. Its timeouts are cancelled, and later messages to it are ignored. */
    void complete();

    /**
     * Fails the saga: its steps are undone one at a time, the last one first. Its timeouts are cancelled. When the last undo has
     * been acknowledged, {@link SagaFailed} is published.
     *
     * @param reason for humans; at most 500 characters are kept
     */
    void fail(String reason);
}
