// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.fixture.LogLines;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.Starts;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.Captured;
import io.safebunny.saga.execution.OrderSaga.Declined;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.Refund;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.saga.execution.OrderSaga.StockReserved;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the log says of sagas that a person should know about. */
class SagaLogTest {

    private static final String ID = "order-1";

    private final LogLines log = new LogLines(SagaLog.class.getName(), Level.INFO);
    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();
    private HandlerInvoker billing = (payload, context) -> answer("billing", new Captured("1"));
    private HandlerInvoker undoing = (payload, context) -> {};

    @BeforeEach
    void start() {
        world.start("storefront", List.of());
        world.start("orders", List.of(), orders);
        world.start(
                "warehouse",
                List.of(
                        SagaWorld.handler(
                                "orders",
                                ReserveStock.class,
                                (payload, context) -> answer("warehouse", new StockReserved("1"))),
                        SagaWorld.handler(
                                "orders", ReleaseStock.class, (payload, context) -> undoing.invoke(payload, context))));
        world.start(
                "billing",
                List.of(
                        SagaWorld.handler(
                                "orders", Capture.class, (payload, context) -> billing.invoke(payload, context)),
                        SagaWorld.handler("orders", Refund.class, (payload, context) -> {})));
    }

    @AfterEach
    void close() {
        log.close();
    }

    private void answer(String node, Object message) {
        var unused = world.bunny(node).publish(message);
    }

    private void place() {
        world.publish("storefront", new PlaceOrder("1", 100), ID);
    }

    @Test
    void nothingOfASagaThatCompletes() {
        place();

        assertThat(world.saga("orders", ID).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(log.texts()).isEmpty();
    }

    @Test
    void namesAMessageThatShouldHaveStartedASagaThatIsThere() {
        billing = (payload, context) -> {};
        place();
        String first = world.saga("orders", ID).history().get(0).what();
        place();
        place();

        assertThat(first).startsWith("took PlaceOrder ");
        assertThat(log.texts()).hasSize(2).allSatisfy(line -> assertThat(line)
                .startsWith("PlaceOrder ")
                .contains("starts no saga", "saga OrderSaga order-1", first, "correlation id", "idempotency key"));
        assertThat(world.saga("orders", ID).history())
                .extracting(Event::what)
                .filteredOn(what -> what.startsWith("took PlaceOrder"))
                .hasSize(1);
    }

    @Test
    void namesAMessageThatShouldHaveStartedASagaThatHasEnded() {
        place();
        place();

        assertThat(log.texts())
                .singleElement()
                .asString()
                .contains("starts no saga", "OrderSaga order-1", "is COMPLETED");
    }

    @Test
    void saysWhyASagaIsStuckAndWhatRepairsIt() {
        orders.failing = true;
        place();
        world.pass(Duration.ofMinutes(1));

        assertThat(log.texts())
                .singleElement()
                .asString()
                .startsWith("Saga OrderSaga order-1 is STUCK: StockReserved ")
                .contains("was set aside", "replay", "resume or fail");
    }

    @Test
    void saysWhichUndoWasSetAsideAndThatTheSagaHasFailedOnceThatIsRepaired() {
        billing = (payload, context) -> answer("billing", new Declined("1"));
        undoing = (payload, context) -> {
            throw new PoisonMessageException("cannot be released");
        };
        place();

        assertThat(log.texts())
                .singleElement()
                .asString()
                .startsWith("Saga OrderSaga order-1 is COMPENSATION_FAILED: ReleaseStock ")
                .contains("was set aside by warehouse", "retry", "skip");

        world.sagas("orders").skip("OrderSaga", ID, "stock", "written off");
        world.settle();

        assertThat(log.texts()).hasSize(2);
        assertThat(log.texts().get(1)).contains("Saga OrderSaga order-1 has failed");
    }

    /** A saga whose class has no method for what was set aside. */
    @BunnySaga(participants = "hotel")
    static final class Tour {
        record State(String id) {}

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.step("room", new Book("1"), new Release("1"));
            return new State("1");
        }
    }

    record Begin(String id) {}

    record Book(String id) {}

    record Release(String id) {}

    @Test
    void saysWhatASagaIsBlockedOnIfItHasNoMethodForThat() {
        world.start("desk", List.of());
        world.start("tours", List.of(), new Tour());
        world.start(
                "hotel",
                List.of(
                        SagaWorld.handler("tours", Book.class, (payload, context) -> {
                            throw new PoisonMessageException("no room");
                        }),
                        SagaWorld.handler("tours", Release.class, (payload, context) -> {})));
        world.publish("desk", new Begin("1"), "tour-1");

        assertThat(log.texts())
                .singleElement()
                .asString()
                .startsWith("Saga Tour tour-1 is blocked: Book ")
                .contains("was set aside by hotel", "replay", "retry");
    }

    /** Its own method decides what becomes of the saga. */
    @Test
    void saysNothingOfABlockWithWhichTheSagaDeals() {
        billing = (payload, context) -> {
            throw new PoisonMessageException("no such card");
        };
        place();

        assertThat(log.texts()).noneMatch(line -> line.contains("is blocked"));
    }
}
