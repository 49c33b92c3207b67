// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;

/** The handler was not run, or not to its end, for a reason that passes: the message comes back and no attempt is spent. */
public final class NotHandledException extends SafeBunnyException {

    private final Duration delay;
    private final boolean trouble;

    private NotHandledException(String why, Duration delay, boolean trouble) {
        super("SB-3005", why, null);
        this.delay = delay;
        this.trouble = trouble;
    }

    /** The reason concerns this message alone. */
    public static NotHandledException later(String why, Duration delay) {
        return new NotHandledException(why, delay, false);
    }

    /** The reason concerns every message: what handling needs is not there. */
    public static NotHandledException trouble(String why, Duration delay) {
        return new NotHandledException(why, delay, true);
    }

    public Duration delay() {
        return delay;
    }

    public boolean isTrouble() {
        return trouble;
    }
}
