// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.saga.Node;
import io.safebunny.rabbit.connection.BrokerVersion;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** Urgent messages behind a backlog of others. Each fails twice, and waits for its delay in between. */
final class PrioritiesRow {

    private static final int FULL = 100_000;
    private static final int QUICK = 20_000;
    private static final int URGENT = 100;
    private static final int ATTEMPTS = 1 + Live.DELAYS.size();
    private static final int PRIORITY = 9;
    private static final double LEAST = 0.99;
    private static final Duration WORK = Duration.ofMillis(5);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    record Job(int number, boolean urgent) {}

    private final Live live;
    private final int backlog;
    private final CountDownLatch begin = new CountDownLatch(1);
    private final AtomicInteger handled = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    /** How many of the others had been handled when the next attempt of an urgent one was due. */
    private final Map<Integer, Integer> handledWhenDue = new ConcurrentHashMap<>();

    private final Queue<Double> shares = new ConcurrentLinkedQueue<>();

    private PrioritiesRow(Live live, int backlog) {
        this.live = live;
        this.backlog = backlog;
    }

    static Finding find(Effort effort) throws Exception {
        try (Live live = new Live()) {
            return new PrioritiesRow(live, effort.of(FULL, QUICK)).measure();
        }
    }

    private Finding measure() {
        Node jobs = live.instance("jobs", null);
        jobs.start(List.of(live.handler(Job.class, "desk", this::handle)));
        Node desk = live.instance("desk", null);
        desk.start(List.of());
        publish(desk, backlog, false);
        publish(desk, URGENT, true);
        begin.countDown();
        Awaitility.await().atMost(PATIENCE).until(() -> ended.get() == URGENT || handled.get() == backlog);
        int overtaking = handled.get();
        Awaitility.await().atMost(PATIENCE).until(() -> ended.get() == URGENT);

        String broker = TestBroker.shared().version();
        double worst = shares.stream().mapToDouble(share -> share).min().orElse(0);
        boolean hasPriorities = BrokerVersion.isAtLeast(broker, 4, 0);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("broker", broker);
        figures.put("waiting", backlog);
        figures.put("urgent", ended.get());
        figures.put("attempts", shares.size());
        figures.put("overtaken at least", hasPriorities ? percent(worst) : "nothing: this series ignores priorities");
        figures.put("others handled before the last", overtaking);
        return new Finding(shares.size() == URGENT * ATTEMPTS && (!hasPriorities || worst >= LEAST), figures);
    }

    private static String percent(double share) {
        return Math.floor(share * 1_000) / 10 + " %";
    }

    private static void publish(Node desk, int count, boolean urgent) {
        PublishOptions options = urgent ? PublishOptions.none().withPriority(PRIORITY) : PublishOptions.none();
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            sent.add(desk.bunny().publishAsync(new Job(number, urgent), options));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
    }

    private void handle(Object payload, MessageContext context) throws InterruptedException {
        Job job = (Job) payload;
        if (!begin.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("nothing was published");
        }
        if (!job.urgent()) {
            live.timeline().sleep(WORK);
            handled.incrementAndGet();
            return;
        }
        int before = handledWhenDue.getOrDefault(job.number(), 0);
        shares.add(1 - (handled.get() - before) / (double) Math.max(1, backlog - before));
        int attempt = context.attempt();
        if (attempt == ATTEMPTS - 1) {
            ended.incrementAndGet();
            return;
        }
        var unused = live.timeline()
                .schedule(Live.DELAYS.get(attempt), () -> handledWhenDue.put(job.number(), handled.get()));
        throw new IllegalStateException("as the proof wants");
    }
}
