// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchBroker.PingHandler;
import io.safebunny.benchmarks.contest.Bins;
import io.safebunny.benchmarks.contest.Figures;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Handlers that wait: first for all messages of a full queue, then for messages that are sent at a fixed rate, for the latency of each.
 *
 * @param waitMillis how long each handler waits
 * @param messages in the full queue
 * @param paced how many are sent at a fixed rate
 */
record Waits(int waitMillis, int messages, int paced) {

    static final int PER_SECOND = 300;

    Figures measure(BenchBroker broker, String queue, Places.Opening opening) throws Exception {
        broker.fill(queue, messages);
        Meter full = new Meter(messages);
        AtomicReference<PingHandler> end = new AtomicReference<>(ping -> full.count());
        try (AutoCloseable unused = opening.open(ping -> {
            Consumers.check(ping);
            Places.pause(waitMillis);
            Objects.requireNonNull(end.get()).handle(ping);
        })) {
            Map<String, Double> figures = new LinkedHashMap<>(full.await().byName());
            long begin = System.nanoTime();
            Bins bins = new Bins(begin);
            Meter left = new Meter(paced);
            end.set(ping -> {
                long now = System.nanoTime();
                bins.add(now, now - ping.number());
                left.count();
            });
            broker.send(queue, begin, PER_SECOND, paced);
            Figures ignored = left.await();
            figures.putAll(Figures.of(bins.latencies()));
            return new Figures(figures);
        }
    }
}
