// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the audit says came of repairs of sagas, also if their store says nothing. */
@Tag("once")
class RepairResultsTest {

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withUserConfiguration(Store.class)
            .withBean(Order.class)
            .withPropertyValues("management.endpoint.safebunny.show-audit=always");

    record PlaceOrder(int amount) {}

    @BunnySaga
    static class Order {
        record State(int amount) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(PlaceOrder order) {
            return new State(order.amount());
        }
    }

    /** A store that cannot be reached, or has the record of a newer version. */
    @Configuration(proxyBeanMethods = false)
    static class Store {

        private final AtomicInteger reads = new AtomicInteger();
        private volatile boolean isSilent;
        private volatile String unreadable = "";

        @Bean
        MessageStore store(Timeline timeline) {
            return new ForwardingMessageStore(new MemoryMessageStore(timeline, Duration.ofDays(7))) {
                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    if (isSilent && key.messageId().contains("saga.")) {
                        reads.incrementAndGet();
                        throw new StoreUnavailableException("test", null, null);
                    }
                    if (key.correlationId().equals(unreadable)) {
                        throw new UnreadableRecordException(key, "saga format 2", null);
                    }
                    return super.find(key);
                }
            };
        }
    }

    private static void place(AssertableReactiveWebApplicationContext context, String id) {
        context.getBean(Bunny.class)
                .publish(new PlaceOrder(1), PublishOptions.none().withCorrelationId(id));
        await().until(() -> !context.getBean(Sagas.class).find(id).isEmpty());
    }

    private static List<Map<String, Object>> audit(AssertableReactiveWebApplicationContext context) {
        return read(get(context, "safebunny/audit"), "$.events[*]");
    }

    private static List<Object> of(List<Map<String, Object>> events, String name) {
        return events.stream().map(event -> event.get(name)).toList();
    }

    private static void tell(AssertableReactiveWebApplicationContext context, String by, String saga, String repair) {
        Map<String, Object> data = new HashMap<>();
        data.put("saga", "Order");
        data.put("sagaId", saga);
        data.put("reason", "not wanted");
        data.put("repair", repair);
        context.getBean(Audit.class).tell(by, "SAGA_FAIL", data);
    }

    /** Equal repairs within a minute: each entry of the history is of one of them. */
    @Test
    void equalRepairsHaveTheirOwnResults() {
        NODE.run(context -> {
            place(context, "o-1");
            Sagas sagas = context.getBean(Sagas.class);
            String first = sagas.by("ann").fail("Order", "o-1", "not wanted");
            String second = sagas.by("bob").fail("Order", "o-1", "not wanted");
            await().until(() -> sagas.find("Order", "o-1").orElseThrow().history().stream()
                    .anyMatch(event -> second.equals(event.repair())));
            tell(context, "bob", "o-1", second);
            tell(context, "ann", "o-1", first);
            tell(context, "eve", "o-1", "lost");

            Map<Object, Object> results = new HashMap<>();
            audit(context).forEach(event -> results.put(event.get("by"), event.get("result")));
            assertThat(results).isEqualTo(Map.of("ann", "DONE", "bob", "REFUSED", "eve", "SENT"));
            assertThat(of(audit(context), "detail")).contains("the saga is FAILED now", "it is FAILED");
        });
    }

    @Test
    void theEndpointNamesTheRepairAndItsUser() {
        NODE.run(context -> {
            place(context, "o-1");

            String repair =
                    read(post(context, "safebunny/sagas/o-1", "{'action':'fail','reason':'not wanted'}"), "$.repair");

            List<Map<String, Object>> history = read(get(context, "safebunny/sagas/o-1"), "$.sagas[0].history");
            assertThat(history)
                    .filteredOn(event -> Objects.equals(event.get("what"), "FAIL: not wanted"))
                    .singleElement()
                    .satisfies(event ->
                            assertThat(event).containsEntry("repair", repair).containsEntry("by", "anonymous"));
            Map<String, Object> data = read(get(context, "safebunny/audit"), "$.events[0].data");
            assertThat(data).containsEntry("repair", repair);
        });
    }

    @Test
    void aSilentStoreIsAskedOnceAndSaidToBe() {
        NODE.run(context -> {
            for (int i = 0; i < 5; i++) {
                tell(context, "ann", "o-" + i, "r-" + i);
            }
            Store store = context.getBean(Store.class);
            store.isSilent = true;

            List<Map<String, Object>> events = audit(context);

            assertThat(store.reads).hasValue(1);
            assertThat(of(events, "result")).hasSize(5).containsOnly("SENT");
            assertThat(of(events, "detail")).containsOnly("what came of it is not known: the store does not answer");
        });
    }

    @Test
    void whatCannotBeReadConcernsThatRepairOnly() {
        NODE.run(context -> {
            place(context, "o-1");
            post(context, "safebunny/sagas/o-1", "{'action':'fail','reason':'not wanted'}");
            tell(context, "ann", "o-2", "r-2");
            tell(context, "ann", "o-3", "r-3");
            context.getBean(Store.class).unreadable = "o-2";

            assertThat(of(audit(context), "detail"))
                    .containsExactlyInAnyOrder(
                            "the saga is FAILED now",
                            "what came of it is not known: a newer version of SafeBunny has written the saga, or it is damaged",
                            "what came of it is not known: the saga is not stored any more");
        });
    }

    @Test
    void whatIsNotReadIsSaid() {
        NODE.run(context -> {
            for (int i = 0; i <= 30; i++) {
                tell(context, "ann", "o-" + i, "r-" + i);
            }

            assertThat(of(audit(context), "detail"))
                    .filteredOn(
                            "what came of it is not known: one answer reads 30 sagas at most. Narrow it down"::equals)
                    .hasSize(1);
        });
    }
}
