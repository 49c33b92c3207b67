// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.BunnyRepair.Outcome;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.saga.execution.OrderSaga.StockReserved;
import io.safebunny.serialization.json.JsonMessageSerializer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A saga's history names each repair, who asked for it, and only then what it led to. */
class SagaRepairedByTest {

    private static final String ID = "order-1";

    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();

    @BeforeEach
    void start() {
        world.start("storefront", List.of());
        world.start("orders", List.of(), orders);
        world.start(
                "warehouse",
                List.of(
                        SagaWorld.handler("orders", ReserveStock.class, (payload, context) -> {
                            var unused = world.bunny("warehouse").publish(new StockReserved("1"));
                        }),
                        SagaWorld.handler("orders", ReleaseStock.class, (payload, context) -> {})));
        world.start("billing", List.of(SagaWorld.handler("orders", Capture.class, (payload, context) -> {})));
        world.publish("storefront", new PlaceOrder("1", 100), ID);
    }

    private List<Event> history() {
        return world.saga("orders", ID).history();
    }

    private static @Nullable Outcome outcome(List<Event> history, String repair, String reason) {
        return BunnyRepair.outcome(history, repair, reason);
    }

    @Test
    void whatARepairLedToComesAfterIt() {
        world.sagas("orders").fail("OrderSaga", ID, "not wanted");
        world.settle();

        assertThat(history()).extracting(Event::what).containsSubsequence("FAIL: not wanted", "failed: not wanted");
        Event repair = history().stream()
                .filter(event -> event.repair() != null)
                .findFirst()
                .orElseThrow();
        assertThat(history().get(history().indexOf(repair) + 1).at())
                .as("in the same millisecond")
                .isEqualTo(repair.at());
    }

    /** Within one millisecond, with the same reason. */
    @Test
    void equalRepairsAreToldApart() {
        Sagas ann = world.sagas("orders").by("ann");
        String first = ann.fail("OrderSaga", ID, "not wanted");
        String second = ann.fail("OrderSaga", ID, "not wanted");
        world.settle();

        assertThat(outcome(history(), first, "not wanted")).isEqualTo(new Outcome(null));
        assertThat(outcome(history(), second, "not wanted")).satisfies(outcome -> assertThat(outcome)
                .isNotNull()
                .extracting(Outcome::refusal)
                .asString()
                .startsWith("it is "));
        assertThat(outcome(history(), "another", "not wanted")).isNull();
        assertThat(history())
                .filteredOn(event -> event.repair() != null)
                .extracting(Event::by)
                .containsExactly("ann", "ann");
    }

    @Test
    void aRefusedRepairHasLeftNothingButItself() {
        List<Event> before = history();
        world.sagas("orders").by("ann").resume("OrderSaga", ID, "why not");
        world.settle();

        assertThat(history()).hasSize(before.size() + 1).startsWith(before.toArray(Event[]::new));
        assertThat(history().get(before.size()).what()).isEqualTo("refused RESUME (why not): it is ACTIVE");
        assertThat(history().get(before.size()).by()).isEqualTo("ann");
    }

    @Test
    void aNameIsPrintableAndShortAndNobodyIsNobody() {
        Sagas sagas = world.sagas("orders");
        sagas.by("a\nb" + "c".repeat(200)).resume("OrderSaga", ID, "1");
        sagas.by(" ").resume("OrderSaga", ID, "2");
        sagas.by("ann").by("bob").resume("OrderSaga", ID, "3");
        sagas.resume("OrderSaga", ID, "4");
        world.settle();

        List<Event> repairs =
                history().stream().filter(event -> event.repair() != null).toList();
        assertThat(repairs.get(0).by()).startsWith("a?b").hasSizeLessThanOrEqualTo(101);
        assertThat(repairs).extracting(Event::by).endsWith(null, "bob", null);
    }

    /** Another version's repair has no name, or more than this one knows. */
    @Test
    void repairsOfOtherVersionsAreRead() {
        assertThat(repair("")).isEqualTo(new BunnyRepair("Order", Action.FAIL, null, 0, null, "why", null));
        assertThat(repair(",\"by\":\"ann\",\"more\":1"))
                .isEqualTo(new BunnyRepair("Order", Action.FAIL, null, 0, null, "why", "ann"));
    }

    private static Object repair(String more) {
        String json =
                "{\"saga\":\"Order\",\"action\":\"FAIL\",\"expectedVersion\":0,\"reason\":\"why\"%s}".formatted(more);
        return new JsonMessageSerializer().deserialize(json.getBytes(StandardCharsets.UTF_8), BunnyRepair.class);
    }
}
