// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.core.instrument.Timer;
import io.safebunny.failure.Printable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A timer that affects nobody when it fails, looked up once, because a lookup costs more than measuring. Thread-safe. */
public final class SafeTimer {

    private static final Logger LOG = LoggerFactory.getLogger(SafeTimer.class);

    private final @Nullable Timer timer;
    private volatile boolean told;

    SafeTimer(@Nullable Timer timer) {
        this.timer = timer;
    }

    /** Less than nothing, between two clocks, counts as nothing. */
    public void record(long amount, TimeUnit unit) {
        if (timer == null) {
            return;
        }
        try {
            timer.record(Math.max(0, amount), unit);
        } catch (RuntimeException | Error e) {
            if (!told) { // once is enough for what happens with every message
                told = true;
                LOG.warn("Measuring {} failed", timer.getId().getName(), Printable.inLines(e));
            }
        }
    }
}
