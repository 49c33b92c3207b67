// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.store.record.MessageRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What happened to an alarm, although the saga or message that it should have woken still waits. */
public enum AlarmFate {
    /** Not handled, or being handled for so long that it is probably lost: sending another alarm is harmless. */
    MISSING,
    /** Being handled, or about to be handled again. */
    OPEN,
    /** Set aside: an operator has to act. */
    SET_ASIDE,
    /** Handled too early to wake anything: another alarm is needed. */
    SPENT;

    /**
     * @param handled record of the alarm; {@code null} if there is none
     * @param latest when the alarm should have been handled at the latest
     */
    public static AlarmFate of(@Nullable MessageRecord handled, Instant latest, Instant now) {
        if (handled == null) {
            return MISSING;
        }
        return switch (handled.state()) {
            case CLAIMED, RELEASED -> now.isAfter(latest) ? MISSING : OPEN;
            case PARKED -> OPEN; // its turn comes, however long that takes
            case POISONED -> SET_ASIDE;
            case COMPLETED, DISPATCHED, UNDONE -> SPENT;
        };
    }
}
