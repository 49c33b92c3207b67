// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.PublishOptions;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.saga.SumSaga.Add;
import io.safebunny.proof.rows.saga.SumSaga.Begin;
import io.safebunny.proof.rows.saga.SumSaga.Beside;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.saga.SagaView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;

/**
 * One saga that gets many messages at once, and its neighbours meanwhile.
 *
 * @param mostRunsPerMessage runs of the handler for each message, at most
 */
record HotSagaRow(StoreAddress store, int mostRunsPerMessage) {

    private static final int FULL = 1_000;
    private static final int QUICK = 300;
    private static final int NEIGHBOURS = 5;
    private static final long MOST_MILLIS = 1_000;
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    Finding find(Effort effort) throws Exception {
        int count = effort.of(FULL, QUICK);
        SumSaga saga = new SumSaga();
        try (Live live = new Live()) {
            OpenStore records = live.store(store, "sums");
            Node one = live.instance("sums", records);
            Node other = live.instance("sums", live.store(store, "sums"));
            one.start(List.of(), live.sagas(saga));
            other.start(List.of(), live.sagas(saga));
            Node desk = live.instance("desk", null);
            desk.start(List.of());
            begin(desk, one);
            List<CompletableFuture<?>> sent = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                sent.add(desk.bunny().publishAsync(new Add(i), to("hot")));
            }
            int beside = publishBeside(desk, one, live, count);
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
            Awaitility.await().atMost(PATIENCE).until(() -> saga.beside.size() >= beside);
            String state = one.sagas().find("hot").get(0).state();
            return finding(saga, state, count, live.depth("sums", "poison"));
        }
    }

    private static PublishOptions to(String id) {
        return PublishOptions.none().withCorrelationId(id);
    }

    private static void begin(Node desk, Node sums) {
        List<String> ids = new ArrayList<>(List.of("hot"));
        for (int neighbour = 0; neighbour < NEIGHBOURS; neighbour++) {
            ids.add("beside-" + neighbour);
        }
        ids.forEach(id -> desk.bunny().publish(new Begin(), to(id)));
        Awaitility.await().atMost(PATIENCE).until(() -> ids.stream()
                .noneMatch(id -> sums.sagas().find(id).isEmpty()));
    }

    /** As long as the hot one has messages. */
    private static int publishBeside(Node desk, Node sums, Live live, int count) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        int sent = 0;
        while (System.nanoTime() < end && !isDone(sums, count)) {
            for (int i = 0; i < NEIGHBOURS; i++) {
                desk.bunny().publish(new Beside(System.nanoTime()), to("beside-" + sent++ % NEIGHBOURS));
                live.timeline().sleep(PAUSE);
            }
        }
        return sent;
    }

    private static boolean isDone(Node sums, int count) {
        Optional<SagaView> hot = sums.sagas().find(SumSaga.NAME, "hot");
        return hot.isPresent() && hot.get().state().startsWith("{\"messages\":%s,".formatted(count));
    }

    private Finding finding(SumSaga saga, String state, int count, int poison) {
        List<Long> waits = saga.beside.stream().sorted().toList();
        long p99 = waits.get(waits.size() * 99 / 100) / 1_000_000;
        String due = "{\"messages\":%s,\"sum\":%s}".formatted(count, count * (count + 1) / 2);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("messages", count);
        figures.put("sum exact", state.equals(due));
        figures.put("runs", saga.runs.get());
        figures.put("attempts spent", saga.retries.get());
        figures.put("poison", poison);
        figures.put("neighbours", waits.size());
        figures.put("neighbours' p99 ms", p99);
        boolean passed = state.equals(due)
                && saga.runs.get() <= count * mostRunsPerMessage
                && saga.retries.get() == 0
                && poison == 0
                && p99 <= MOST_MILLIS;
        return new Finding(passed, figures);
    }
}
