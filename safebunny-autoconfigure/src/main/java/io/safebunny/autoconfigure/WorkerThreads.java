// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.concurrency.Workers;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Creates the threads that handle deliveries. Their number is unbounded, because the prefetch bounds it already, and in a bounded pool one
 * slow handler would hold up the others.
 */
final class WorkerThreads {

    private static final String NAME_PREFIX = "safebunny-";

    private WorkerThreads() {}

    /** One daemon thread per delivery being handled; idle threads end after a minute. */
    static Workers platform() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(NAME_PREFIX);
        threads.setDaemon(true);
        ExecutorService pool =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 60, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
        return new Workers(pool, pool::shutdownNow);
    }

    /** One virtual thread per delivery being handled; needs Java 21. */
    static Workers virtual() {
        SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor(NAME_PREFIX);
        executor.setVirtualThreads(true);
        executor.setCancelRemainingTasksOnClose(true);
        return new Workers(executor, executor::close);
    }
}
