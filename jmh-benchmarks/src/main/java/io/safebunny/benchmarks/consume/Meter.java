// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.contest.Figures;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Counts handled messages. The time runs from the first to the last message, so that connecting does not count. Thread-safe. */
final class Meter {

    private static final long PATIENCE_SECONDS = 120;

    private final int messages;
    private final CountDownLatch left;
    private final CountDownLatch first = new CountDownLatch(1);
    private final AtomicLong begin = new AtomicLong();
    private volatile long end;

    Meter(int messages) {
        this.messages = messages;
        this.left = new CountDownLatch(messages);
    }

    void count() {
        if (begin.get() == 0 && begin.compareAndSet(0, System.nanoTime())) {
            first.countDown();
        }
        left.countDown();
        if (left.getCount() == 0) {
            end = System.nanoTime();
        }
    }

    /** @return how many had been handled when this thread noticed */
    int awaitFirst() throws InterruptedException {
        await(first);
        return messages - (int) left.getCount();
    }

    Figures await() throws InterruptedException {
        await(left);
        long last = end == 0 ? System.nanoTime() : end;
        return Figures.perSecond(messages, last - begin.get());
    }

    private void await(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    "Not all messages came in %s s [missing=%s]".formatted(PATIENCE_SECONDS, left.getCount()));
        }
    }
}
