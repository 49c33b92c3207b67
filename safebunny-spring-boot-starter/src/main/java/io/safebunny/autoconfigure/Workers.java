// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads that handle deliveries. Unbounded on purpose: the prefetch is the bound, and with a bounded pool and a queue one
 * slow handler would stop the others. Deliberately not an {@link Executor} itself: a bean of that type would make Boot's
 * application task executor back off.
 */
final class Workers implements AutoCloseable {

    private static final String THREAD_NAME_PREFIX = "safebunny-";

    private final Executor executor;
    private final Runnable close;

    private Workers(Executor executor, Runnable close) {
        this.executor = executor;
        this.close = close;
    }

    /** One daemon thread per delivery being handled; idle threads end after a minute. */
    static Workers platform() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(THREAD_NAME_PREFIX);
        threads.setDaemon(true);
        ExecutorService pool =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 60, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
        return new Workers(pool, pool::shutdownNow);
    }

    /** One virtual thread per delivery being handled; needs Java 21. */
    static Workers virtual() {
        SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor(THREAD_NAME_PREFIX);
        executor.setVirtualThreads(true);
        executor.setCancelRemainingTasksOnClose(true);
        return new Workers(executor, executor::close);
    }

    Executor executor() {
        return executor;
    }

    /** Interrupts handlers that are still running: the grace period is over, and their messages come back. */
    @Override
    public void close() {
        close.run();
    }
}
