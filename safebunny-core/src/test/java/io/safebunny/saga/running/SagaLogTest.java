// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.safebunny.PoisonMessageException;
import io.safebunny.fixture.LogLines;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.running.OrderSaga.Capture;
import io.safebunny.saga.running.OrderSaga.Captured;
import io.safebunny.saga.running.OrderSaga.Declined;
import io.safebunny.saga.running.OrderSaga.PlaceOrder;
import io.safebunny.saga.running.OrderSaga.Refund;
import io.safebunny.saga.running.OrderSaga.ReleaseStock;
import io.safebunny.saga.running.OrderSaga.ReserveStock;
import io.safebunny.saga.running.OrderSaga.StockReserved;
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
                .startsWith("Saga OrderSaga order-1 is STUCK: stuck: StockReserved ")
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
}
