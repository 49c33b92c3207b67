// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.core.instrument.Timer;
import io.safebunny.failure.details.Printable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A timer whose failures are logged and otherwise ignored; looked up once, because a lookup costs more than measuring.
 * Thread-safe.
 */
public final class SafeTimer {

    private static final Logger LOG = LoggerFactory.getLogger(SafeTimer.class);

    private final @Nullable Timer timer;
    private volatile boolean told;

    SafeTimer(@Nullable Timer timer) {
        this.timer = timer;
    }

    /** Records an amount; a negative difference between two clocks counts as 0. */
    public void record(long amount, TimeUnit unit) {
        if (timer == null) {
            return;
        }
        try {
            timer.record(Math.max(0, amount), unit);
        } catch (RuntimeException | Error e) {
            if (!told) { // logged once, because it would recur for every message
                told = true;
                LOG.warn("Measuring {} failed", timer.getId().getName(), Printable.inLines(e));
            }
        }
    }
}
