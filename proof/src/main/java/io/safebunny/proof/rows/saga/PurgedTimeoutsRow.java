// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.PublishOptions;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.saga.WaitingSaga.Wait;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.saga.SagaStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Sagas that wait for a timeout each while the queues in which the broker keeps the messages of these timeouts are purged.
 */
record PurgedTimeoutsRow(StoreAddress store) {

    private static final int FULL = 10_000;
    private static final int QUICK = 1_000;
    private static final int PURGES = 5;
    /** How long all sagas may take to begin on a slow machine. */
    private static final Duration ARMING_FULL = Duration.ofMinutes(2);

    private static final Duration ARMING_QUICK = Duration.ofSeconds(20);
    /** Their times are spread over a minute: what is measured is the sweeper, not how many handlers the machine can run at once. */
    private static final Duration SPREAD_FULL = Duration.ofSeconds(60);

    private static final Duration SPREAD_QUICK = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(300);

    Finding find(Effort effort) throws Exception {
        int count = effort.of(FULL, QUICK);
        Duration spread = effort.quick() ? SPREAD_QUICK : SPREAD_FULL;
        try (Live live = new Live()) {
            WaitingSaga saga = new WaitingSaga(live.timeline()::now);
            Node one = live.instance("waits", live.store(store, "waits"));
            OpenStore records = live.store(store, "waits");
            Node other = live.instance("waits", records);
            one.start(List.of(), live.sagas(saga));
            other.start(List.of(), live.sagas(saga));
            Node desk = live.instance("desk", null);
            desk.start(List.of());
            Instant first = live.timeline().now().plus(effort.quick() ? ARMING_QUICK : ARMING_FULL);
            begin(desk, count, first, spread);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> records.store().countListed(WaitingSaga.NAME, SagaStatus.ACTIVE.name()) == count);
            Duration left = Duration.between(live.timeline().now(), first);
            effort.progress().accept("%s timeouts wait, the first for %s s".formatted(count, left.toSeconds()));
            int lost = purge(live);
            boolean inTime = live.timeline().now().isBefore(first);
            Duration most =
                    Duration.between(live.timeline().now(), first.plus(spread)).plus(PATIENCE);
            return finding(live, saga, records, count, lost, inTime, most);
        }
    }

    private static void begin(Node desk, int count, Instant first, Duration spread) {
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = "waits-" + i;
            long due = first.toEpochMilli() + spread.toMillis() * i / count;
            sent.add(desk.bunny()
                    .publishAsync(new Wait(id, due), PublishOptions.none().withCorrelationId(id)));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
    }

    /** Several times, because a message that the broker is moving between two queues is in neither. */
    private static int purge(Live live) throws Exception {
        int lost = 0;
        for (int i = 0; i < PURGES; i++) {
            lost += live.emptyLadder(false);
            live.timeline().sleep(PAUSE);
        }
        return lost + live.emptyLadder(true);
    }

    private static Finding finding(
            Live live, WaitingSaga saga, OpenStore records, int count, int lost, boolean inTime, Duration patience)
            throws Exception {
        long bound = Live.lease().multipliedBy(2).toMillis();
        try {
            Awaitility.await()
                    .atMost(patience)
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> records.store().countListed(WaitingSaga.NAME, SagaStatus.COMPLETED.name()) == count);
            live.timeline().sleep(Live.lease()); // whatever would run twice does so now
        } catch (ConditionTimeoutException e) {
            // the figures tell
        }
        List<Long> lateness =
                saga.runs.values().stream().flatMap(List::stream).sorted().toList();
        long early = lateness.stream().filter(late -> late < 0).count();
        long latest = lateness.isEmpty() ? -1 : lateness.get(lateness.size() - 1);
        int poison = live.depth("waits", "poison");
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("timeouts", count);
        figures.put("messages lost", lost);
        figures.put("ran", saga.runs.size());
        figures.put("runs", lateness.size());
        figures.put("early", early);
        figures.put("late p50 ms", lateness.isEmpty() ? -1 : lateness.get(lateness.size() / 2));
        figures.put("late p99 ms", lateness.isEmpty() ? -1 : lateness.get(lateness.size() * 99 / 100));
        figures.put("late max ms", latest);
        figures.put("bound ms", bound);
        figures.put("poison", poison);
        boolean once = saga.runs.size() == count && lateness.size() == count;
        return new Finding(once && early == 0 && latest <= bound && lost == count && inTime && poison == 0, figures);
    }
}
