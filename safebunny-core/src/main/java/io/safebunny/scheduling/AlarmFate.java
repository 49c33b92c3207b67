// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.store.MessageRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What has become of a message that should have woken something which still waits. */
public enum AlarmFate {
    /** Nobody has handled it, or its handling has taken so long that it is probably lost: one more does no harm. */
    MISSING,
    /** It is being handled, or will be again. */
    OPEN,
    /** It was set aside: a person has to look after it. */
    SET_ASIDE,
    /** It was handled, when what it came for was not to be woken: only another message can do that now. */
    SPENT;

    /**
     * @param handled its record
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
