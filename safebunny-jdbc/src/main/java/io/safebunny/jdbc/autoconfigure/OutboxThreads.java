// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads that wait for the database and the broker; idle ones end after 60 s. Deliberately not an {@link Executor} itself: a
 * bean of that type would make Boot's application task executor back off.
 */
final class OutboxThreads implements AutoCloseable {

    private final ExecutorService executor;

    OutboxThreads() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("safebunny-outbox-");
        threads.setDaemon(true);
        executor =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 60, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }

    Executor executor() {
        return executor;
    }

    /** Interrupts what is still running. Nothing is lost: unsent messages are stored and are sent after the next start. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
