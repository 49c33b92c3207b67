// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

/**
 * What a replay of one poison copy would do, according to the stored record of its message, and to the saga that has sent it, at that moment.
 * Only copies with the first three verdicts are replayed; all but {@link #BUSY} and {@link #UNKNOWN} can be discarded.
 */
public enum Verdict {
    /** Its handler runs; completed {@code once} steps are not repeated. */
    RUN,
    /** Its handler does not run again; its stored publications are sent. */
    RESEND,
    /** Its handler runs, even if the message was handled before: there is no store to tell. */
    REPEATS,
    /**
     * It has been handled or undone since, or its saga takes it no more, because it has ended, is being undone, or has set the timeout
     * anew: a replay would do nothing. It can be discarded.
     */
    DONE,
    /**
     * A replay would do what its saga does not want any more: an operator has skipped its step, because that was done or undone by hand; its
     * undo is acknowledged; or the saga has failed. It can be discarded. A forced replay moves it only if it is the one message that was
     * asked for, or this verdict was, and never a copy that is older than what is stored of its message.
     */
    UNWANTED,
    /**
     * It is the command or the undo of a saga's step, and whether the saga still wants it is not known: the saga's node does not answer, or
     * knows no such step any more. It can be discarded. A forced replay moves it only if it is the one message that was asked for, or this
     * verdict was.
     */
    UNSURE,
    /**
     * Another delivery of it is being handled, or died without recording its outcome. Ask the same instance again after {@code
     * safebunny.dedup.lease}: if the record has not changed by then, the verdict is {@link #RUN}. To edit the message, replay it
     * first.
     */
    BUSY,
    /** Its message has been set aside again or edited since: look at the newer copy. */
    SUPERSEDED,
    /** The record with its id belongs to a different message: a replay would be set aside again. */
    CLASH,
    /**
     * It is older than the retention, so nothing is known about its handling or its completed steps, and a replay would be set
     * aside again. Check its effects; a forced replay moves and handles it.
     */
    TOO_OLD,
    /** This node would set it aside again, must not move it, or cannot read it or its record; or the broker refused the move. */
    REFUSED,
    /**
     * The store, or a service needed to read the body such as a schema registry, does not answer; or the body has a version that only another
     * version of the application knows.
     */
    UNKNOWN;

    /** Whether an unforced replay moves the copy. */
    public boolean isReplayed() {
        return this == RUN || this == RESEND || this == REPEATS;
    }

    /** Whether a replay moves the copy only if it is forced, and the message or this verdict was asked for by name. */
    public boolean isReplayedByName() {
        return this == UNWANTED || this == UNSURE;
    }

    /** Whether the copy can be discarded. */
    public boolean isDiscarded() {
        return this != BUSY && this != UNKNOWN;
    }
}
