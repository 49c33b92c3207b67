// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.traffic;

import io.safebunny.memory.MemoryBroker;
import io.safebunny.time.SystemTimeline;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** The in-process broker and its threads. */
public final class EmbeddedBroker implements AutoCloseable {

    private final SystemTimeline timeline = new SystemTimeline("demo-broker-timeline");
    private final ExecutorService threads = threads();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);

    private static ExecutorService threads() {
        CustomizableThreadFactory factory = new CustomizableThreadFactory("demo-broker-");
        factory.setDaemon(true);
        // unbounded, because a task must never wait for a thread; the consumers' prefetch limits their number
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), factory);
    }

    public MemoryBroker broker() {
        return broker;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        timeline.close();
    }
}
