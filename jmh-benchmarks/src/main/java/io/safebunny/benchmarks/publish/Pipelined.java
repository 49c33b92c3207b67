// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.publish;

import io.safebunny.benchmarks.contest.Figures;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Pipelined publishing with at most 1,000 unconfirmed messages. */
public final class Pipelined {

    private static final int WINDOW = 1_000;

    private final Semaphore window = new Semaphore(WINDOW);
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();

    private Pipelined() {}

    /** Publishes so many, and waits until all are confirmed. */
    public static Figures run(int messages, Callable<? extends CompletableFuture<?>> publish) throws Exception {
        Pipelined pipelined = new Pipelined();
        long begin = System.nanoTime();
        for (int i = 0; i < messages; i++) {
            pipelined.add(publish);
        }
        pipelined.await();
        return Figures.perSecond(messages, System.nanoTime() - begin);
    }

    private void add(Callable<? extends CompletableFuture<?>> publish) throws Exception {
        window.acquire();
        CompletableFuture<?> unused = publish.call().whenComplete((confirmed, failure) -> {
            if (failure != null) {
                failed.set(failure);
            }
            window.release();
        });
    }

    private void await() throws InterruptedException {
        window.acquire(WINDOW);
        Throwable failure = failed.get();
        if (failure != null) {
            throw new IllegalStateException("Not all were confirmed", failure);
        }
    }
}
