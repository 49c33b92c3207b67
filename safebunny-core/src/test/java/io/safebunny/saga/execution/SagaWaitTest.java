// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.Starts;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.Refund;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.saga.execution.OrderSaga.StockReserved;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.saga.management.UndoingSagas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sagas that wait for an answer that does not come, and what a person sees of it and can do. */
class SagaWaitTest {

    private static final String ID = "order-1";

    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();
    private final Audit audit = new Audit();
    private final List<WireMessage> lost = new ArrayList<>();
    private HandlerInvoker capturing = (payload, context) -> {};

    /** Another saga of the same node, for the same orders. */
    @BunnySaga
    static final class Audit {

        record AuditStarted(String order) {}

        record State(String order) {}

        final List<BlockedOn> poisoned = new ArrayList<>();

        @Starts
        @BunnyHandler(from = "storefront")
        State on(AuditStarted started) {
            return new State(started.order());
        }

        @OnPoisoned
        void poisoned(BlockedOn blockedOn) {
            poisoned.add(blockedOn);
        }
    }

    @BeforeEach
    void start() {
        world.start("storefront", List.of());
        world.start("orders", List.of(), orders, audit);
        world.start(
                "warehouse",
                List.of(
                        SagaWorld.handler("orders", ReserveStock.class, (payload, context) -> {
                            var unused = world.bunny("warehouse").publish(new StockReserved("1"));
                        }),
                        SagaWorld.handler(
                                "orders", ReleaseStock.class, (payload, context) -> world.effects.add("release"))));
        world.start(
                "billing",
                List.of(
                        SagaWorld.handler(
                                "orders", Capture.class, (payload, context) -> capturing.invoke(payload, context)),
                        SagaWorld.handler("orders", Refund.class, (payload, context) -> world.effects.add("refund"))));
    }

    private void place() {
        world.publish("storefront", new PlaceOrder("1", 100), ID);
    }

    private void fail() {
        world.sagas("orders").fail("OrderSaga", ID, "given up");
        world.settle();
    }

    private SagaView saga() {
        return world.sagas("orders").find("OrderSaga", ID).orElseThrow();
    }

    private void lose(String... types) {
        Set<String> losing = Set.of(types);
        world.arrivals = message -> {
            if (losing.contains(String.valueOf(message.message().type()))) {
                lost.add(message.message());
                return 0;
            }
            return 1;
        };
    }

    @Test
    void anUndoThatNobodyAcknowledgesShowsAndAfterAnHourAsksForAPerson() {
        place();
        lose("Refund");
        fail();
        var since = world.timeline.now();
        world.pass(SagaWorld.LEASE.multipliedBy(2));

        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(world.engine("orders").get(SagaSupervision.class).undoing())
                .isEqualTo(Map.of("OrderSaga", new UndoingSagas(1, since, false)));
        world.pass(Duration.ofHours(1));
        assertThat(world.engine("orders").get(SagaSupervision.class).undoing())
                .isEqualTo(Map.of("OrderSaga", new UndoingSagas(1, since, true)));

        world.arrivals = message -> 1;
        world.sagas("orders").resume("OrderSaga", ID, "billing is back");
        world.pass(SagaWorld.LEASE.multipliedBy(2));

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("refund", "release");
        assertThat(world.engine("orders").get(SagaSupervision.class).undoing()).isEmpty();
    }

    @Test
    void anUndoThatIsSentAgainIsNotCarriedOutAgainAndMayBeSkipped() {
        place();
        lose("BunnyUndone"); // as from a version that knows none
        fail();

        world.sagas("orders").resume("OrderSaga", ID, "has it been done?");
        world.settle();
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(world.effects).containsExactly("refund");

        world.sagas("orders").skip("OrderSaga", ID, "pay", "billing says so");
        world.settle();
        assertThat(world.effects).containsExactly("refund", "release");
        world.sagas("orders").skip("OrderSaga", ID, "stock", "the warehouse says so");
        world.settle();
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga().steps()).extracting(SagaView.Step::status).containsOnly(StepStatus.SKIPPED);
    }

    @Test
    void anAcknowledgementThatIsSetAsideShowsAndItsReplayMendsIt() {
        place();
        lose("BunnyUndone");
        fail();
        world.arrivals = message -> 1;
        WireMessage acknowledgement = lost.get(0);

        world.replay(SagaWorld.withBody(acknowledgement, "{"), "orders-BunnyUndone");

        assertThat(world.poison("orders")).hasSize(1);
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(saga().blockedOn())
                .containsExactly(new BlockedOn(
                        String.valueOf(acknowledgement.messageId()), "BunnyUndone", "orders", "malformed-body"));
        world.sagas("orders").resume("OrderSaga", ID, "perhaps");
        world.settle();
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(saga().history())
                .anySatisfy(event -> assertThat(event.what()).contains("replay from the poison queue"));

        world.replay(acknowledgement, "orders-BunnyUndone");

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga().blockedOn()).isEmpty();
        assertThat(world.effects).containsExactly("refund", "release");
    }

    @Test
    void onlyTheSagaThatSentACommandIsToldThatItWasSetAside() {
        capturing = (payload, context) -> {
            throw new PoisonMessageException("no such account");
        };
        world.publish("storefront", new Audit.AuditStarted("1"), ID);
        place();

        assertThat(orders.poisoned).hasSize(1);
        assertThat(audit.poisoned).isEmpty();
        assertThat(world.sagas("orders").find("Audit", ID).orElseThrow().blockedOn())
                .isEmpty();
    }

    @Test
    void isCountedAsStuckOnce() {
        orders.failing = true;
        place();
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        assertThat(world.counted("safebunny.saga", "type", "OrderSaga", "state", "stuck"))
                .isEqualTo(1);
    }
}
