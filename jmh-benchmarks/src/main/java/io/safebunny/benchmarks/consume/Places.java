// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchBroker.PingHandler;
import io.safebunny.benchmarks.broker.BenchNode;
import java.util.List;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Ways to handle a number of messages of one queue at once, with handlers that take their time. */
final class Places {

    private final BenchBroker broker;
    private final String queue;

    Places(BenchBroker broker) {
        this.broker = broker;
        this.queue = broker.declare(Consumers.NODE);
    }

    String queue() {
        return queue;
    }

    /** Consumers with a way of handling each message, until closed. */
    @FunctionalInterface
    interface Opening {
        AutoCloseable open(PingHandler handler) throws Exception;
    }

    Opening safeBunny(int atOnce) {
        return handler -> started(BenchNode.withoutStore(broker, Consumers.NODE), atOnce, handler);
    }

    Opening safeBunnyOnVirtualThreads(int atOnce) {
        return handler -> started(BenchNode.onVirtualThreads(broker, Consumers.NODE), atOnce, handler);
    }

    private static BenchNode started(BenchNode node, int atOnce, PingHandler handler) {
        node.start(List.of(BenchBroker.handler(atOnce, handler)));
        return node;
    }

    /** @param prefetch of each of as many consumers as messages are handled at once */
    Opening listeners(int atOnce, int prefetch) {
        return handler -> new Listeners(broker.spring(), queue, atOnce, prefetch, Listeners.calling(handler));
    }

    Opening listenersOnVirtualThreads(int atOnce, int prefetch) {
        return handler -> new Listeners(broker.spring(), queue, atOnce, prefetch, context -> {
            context.registerBean(
                    "threads", VirtualThreadTaskExecutor.class, () -> new VirtualThreadTaskExecutor("virtual-"));
            Listeners.calling(handler).accept(context);
        });
    }

    /** What a handler does that waits for a remote call. */
    static void pause(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
