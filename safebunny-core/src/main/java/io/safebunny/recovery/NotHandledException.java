// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;

/** The handler was not run, for a reason that passes: the message comes back after the delay and no attempt is spent. */
public final class NotHandledException extends SafeBunnyException {

    private final Duration delay;

    public NotHandledException(String why, Duration delay) {
        super("SB-3005", why, null);
        this.delay = delay;
    }

    public Duration delay() {
        return delay;
    }
}
