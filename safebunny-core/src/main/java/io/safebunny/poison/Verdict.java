// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

/**
 * What a replay of one poison copy would do, by what is stored of its message when it is asked. Only the first three are replayed; all but
 * {@link #BUSY} and {@link #UNKNOWN} can be discarded.
 */
public enum Verdict {
    /** It is handled; steps of {@code once} that were completed are not repeated. */
    RUN,
    /** Its handler is not run again; its publications, which are stored, are sent. */
    RESEND,
    /** There is no store: it is handled, whether it was handled before or not. */
    REPEATS,
    /** It was handled, or undone, meanwhile: a replay would do nothing. It can be discarded. */
    DONE,
    /**
     * Another delivery of it is being handled, or has ended without writing down how. Ask the same instance again after {@code
     * safebunny.dedup.lease}: if its record is the same by then, it is {@link #RUN}. To edit it, replay it first.
     */
    BUSY,
    /** It was set aside again, or edited, since: another copy is the one to replay. */
    SUPERSEDED,
    /** Another message with its id is stored: it would come back. */
    CLASH,
    /**
     * It is older than the retention, and nothing that is stored says what became of it: which of its steps were done is no longer known, and
     * it would come back. Check its effects; only a forced replay is moved, and handled.
     */
    TOO_OLD,
    /**
     * This node would not take it: it would come back, or must not be moved, or it or its record cannot be read here; or the broker
     * refused it when it was moved.
     */
    REFUSED,
    /** The store does not answer, or what its body is read with does not, such as a schema registry. */
    UNKNOWN;

    /** Whether a replay moves the copy without being forced. */
    public boolean isReplayed() {
        return this == RUN || this == RESEND || this == REPEATS;
    }

    /** Whether the copy can be discarded: it is known what would become of its message without it. */
    public boolean isDiscarded() {
        return this != BUSY && this != UNKNOWN;
    }
}
