// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.store.record.MessageRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What happened to a message that should have woken something that still waits. */
public enum AlarmFate {
    /** Not handled, or being handled for so long that it is probably lost: sending one more is harmless. */
    MISSING,
    /** Being handled, or about to be handled again. */
    OPEN,
    /** Set aside: a person has to act. */
    SET_ASIDE,
    /** Handled too early to wake anything: it takes another message now. */
    SPENT;

    /**
     * @param handled record of the message
     * @param latest when it should have been handled
     */
    public static AlarmFate of(@Nullable MessageRecord handled, Instant latest, Instant now) {
        if (handled == null) {
            return MISSING;
        }
        return switch (handled.state()) {
            case CLAIMED, RELEASED -> now.isAfter(latest) ? MISSING : OPEN;
            case POISONED -> SET_ASIDE;
            case COMPLETED, DISPATCHED, UNDONE -> SPENT;
        };
    }
}
