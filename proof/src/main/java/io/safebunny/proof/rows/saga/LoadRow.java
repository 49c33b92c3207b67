// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.PublishOptions;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.saga.ShippingSaga.Charge;
import io.safebunny.proof.rows.saga.ShippingSaga.Charged;
import io.safebunny.proof.rows.saga.ShippingSaga.Done;
import io.safebunny.proof.rows.saga.ShippingSaga.Place;
import io.safebunny.proof.rows.saga.ShippingSaga.Refund;
import io.safebunny.proof.rows.saga.ShippingSaga.Release;
import io.safebunny.proof.rows.saga.ShippingSaga.Reserve;
import io.safebunny.proof.rows.saga.ShippingSaga.Reserved;
import io.safebunny.proof.rows.saga.ShippingSaga.Ship;
import io.safebunny.proof.rows.saga.ShippingSaga.Shipped;
import io.safebunny.proof.rows.saga.ShippingSaga.Unshippable;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.saga.SagaFailed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;

/** Many sagas on two instances of each node; what the participants did is in their own table, in the transactions of their handlers. */
record LoadRow(StoreAddress store) {

    private static final int FULL = 10_000;
    private static final int QUICK = 1_000;
    private static final int UNSHIPPABLE = 20;
    private static final long MOST_SECONDS_FULL = 150;
    private static final Duration PATIENCE = Duration.ofMinutes(8);

    Finding find(Effort effort) throws Exception {
        int count = effort.of(FULL, QUICK);
        try (Live live = new Live()) {
            OpenStore records = live.store(store, "shop");
            Set<String> ended = ConcurrentHashMap.newKeySet();
            Node desk = live.instance("desk", null);
            desk.start(List.of(
                    live.handler(Done.class, "shop", (payload, context) -> ended.add(context.correlationId())),
                    live.handler(SagaFailed.class, "shop", (payload, context) -> ended.add(context.correlationId()))));
            for (int instance = 0; instance < 2; instance++) {
                OpenStore own = live.store(store, "services");
                Node services = live.instance("services", own);
                services.start(handlers(live, services, Objects.requireNonNull(own.work())));
            }
            for (int instance = 0; instance < 2; instance++) {
                Node shop = live.instance("shop", live.store(store, "shop"));
                shop.start(List.of(), live.sagas(new ShippingSaga(shop)));
            }
            return measure(live, desk, records, ended, count, effort);
        }
    }

    private static Finding measure(Live live, Node desk, OpenStore records, Set<String> ended, int count, Effort effort)
            throws Exception {
        long begun = System.nanoTime();
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int order = 0; order < count; order++) {
            String id = live.name("order-" + order);
            sent.add(desk.bunny()
                    .publishAsync(new Place(id), PublishOptions.none().withCorrelationId(id)));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
        boolean allEnded = true;
        try {
            Awaitility.await().atMost(PATIENCE).until(() -> ended.size() == count);
        } catch (ConditionTimeoutException e) {
            allEnded = false;
        }
        double seconds = Math.round((System.nanoTime() - begun) / 1e8) / 10.0;
        long charges = count(live, records, "charge");
        long refunds = count(live, records, "refund");
        long shipped = count(live, records, "ship");
        int poison = live.depth("shop", "poison") + live.depth("services", "poison");
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("sagas", count);
        figures.put("final", ended.size());
        figures.put("s", seconds);
        figures.put("messages per s", Math.round(8 * count / seconds));
        figures.put("charges", charges);
        figures.put("refunds", refunds);
        figures.put("shipped", shipped);
        figures.put("poison", poison);
        double most = (double) MOST_SECONDS_FULL * count / FULL;
        boolean fast = effort.quick() || seconds <= most; // a short run is mostly warming up
        boolean exact = charges == count && charges - refunds == shipped && shipped < count;
        return new Finding(allEnded && fast && exact && poison == 0, figures);
    }

    private static long count(Live live, OpenStore records, String what) {
        return Objects.requireNonNull(new JdbcTemplate(Objects.requireNonNull(records.database()))
                .queryForObject(
                        "select count(*) from crash_work where run = ? and order_id like ?",
                        Long.class,
                        what,
                        live.name("order-") + "%"));
    }

    private static List<HandlerDefinition> handlers(Live live, Node node, WorkTable work) {
        return List.of(
                live.handler(Reserve.class, "shop", (payload, context) -> {
                    work.add(((Reserve) payload).order(), "reserve");
                    var unused = node.bunny().publish(new Reserved(((Reserve) payload).order()));
                }),
                live.handler(
                        Release.class, "shop", (payload, context) -> work.add(((Release) payload).order(), "release")),
                live.handler(Charge.class, "shop", (payload, context) -> {
                    work.add(((Charge) payload).order(), "charge");
                    var unused = node.bunny().publish(new Charged(((Charge) payload).order()));
                }),
                live.handler(
                        Refund.class, "shop", (payload, context) -> work.add(((Refund) payload).order(), "refund")),
                live.handler(Ship.class, "shop", (payload, context) -> {
                    String order = ((Ship) payload).order();
                    if (Math.floorMod(order.hashCode(), UNSHIPPABLE) == 0) {
                        var unused = node.bunny().publish(new Unshippable(order));
                        return;
                    }
                    work.add(order, "ship");
                    var unused = node.bunny().publish(new Shipped(order));
                }));
    }
}
