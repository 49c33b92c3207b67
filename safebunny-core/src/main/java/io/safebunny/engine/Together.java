// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.transport.Consumption;
import io.safebunny.transport.Pace;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The consumptions of the queues of one type, as one. Thread-safe. */
final class Together implements Consumption {

    // guarded by this
    private final List<Consumption> all;
    /** {@code null} for that with which they began. */
    private @Nullable Pace pace;

    private boolean isStopped;

    Together(List<Consumption> first) {
        all = new ArrayList<>(first);
    }

    /** One more, which is paused: it goes at the pace of the others from now on. */
    synchronized void add(Consumption more) {
        all.add(more);
        if (isStopped) {
            CompletableFuture<Void> unused = more.stop();
        } else if (pace != null) {
            more.pace(pace);
        }
    }

    @Override
    public synchronized void pace(Pace wanted) {
        pace = wanted;
        all.forEach(one -> one.pace(wanted));
    }

    @Override
    public synchronized CompletableFuture<Void> stop() {
        isStopped = true;
        return CompletableFuture.allOf(all.stream().map(Consumption::stop).toArray(CompletableFuture[]::new));
    }
}
