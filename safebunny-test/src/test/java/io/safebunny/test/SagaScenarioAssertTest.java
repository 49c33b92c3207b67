// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.test.OrderSaga.Capture;
import io.safebunny.test.OrderSaga.PlaceOrder;
import io.safebunny.test.OrderSaga.Refund;
import io.safebunny.test.OrderSaga.ReserveStock;
import io.safebunny.test.OrderSaga.Shipped;
import io.safebunny.test.OrderSaga.State;
import io.safebunny.test.OrderSaga.StockReserved;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each assertion fails where it should, and says what there is instead. */
class SagaScenarioAssertTest {

    private static final Map<String, Consumer<SagaScenarioAssert>> FAILING = failing();

    private static Map<String, Consumer<SagaScenarioAssert>> failing() {
        Map<String, Consumer<SagaScenarioAssert>> failing = new LinkedHashMap<>();
        failing.put("0 Refund published, and not 1", saga -> saga.published(Refund.class));
        failing.put("1 Capture published, and not 2", saga -> saga.published(Capture.class, 2));
        failing.put(
                "0 of Capture {\"order\":\"7\",\"cents\":1} published, and not 1",
                saga -> saga.published(new Capture("7", 1)));
        failing.put(
                "[ReserveStock {\"order\":\"7\"}] expected to be published in the last step, and found [Capture {\"order\":\"7\",\"cents\":1999}]",
                saga -> saga.publishedLast(new ReserveStock("7")));
        failing.put("found [Capture {\"order\":\"7\",\"cents\":1999}]", SagaScenarioAssert::publishedLast);
        failing.put("1 Capture published, and not 0", saga -> saga.never(Capture.class));
        failing.put("no saga expected", SagaScenarioAssert::notStarted);
        failing.put("status FAILED expected, and found ACTIVE", saga -> saga.status(SagaStatus.FAILED));
        failing.put("reason late expected, and found null", saga -> saga.reason("late"));
        failing.put(
                "state {\"order\":\"8\",\"cents\":2000} expected, and found {\"order\":\"7\",\"cents\":2000}",
                saga -> saga.state(new State("8", 2000)));
        failing.put("no timeout 'delivery'", saga -> saga.timeout("delivery", Duration.ZERO));
        failing.put(", and not in 16min", saga -> saga.timeout("payment", Duration.ofMinutes(16)));
        failing.put("and not in 14min", saga -> saga.timeout("payment", Duration.ofMinutes(14)));
        failing.put("names of timeouts [] expected, and found [payment]", SagaScenarioAssert::noTimeouts);
        failing.put("steps [pay, stock] expected, and found [stock, pay]", saga -> saga.steps("pay", "stock"));
        failing.put("undone steps [pay] expected, and found []", saga -> saga.undone("pay"));
        failing.put("not blocked on Capture", saga -> saga.blockedOn(Capture.class));
        failing.put("1 PlaceOrder handled, and not 2", saga -> saga.handled(PlaceOrder.class, 2));
        failing.put("PlaceOrder retried 0 times, and not 1 times", saga -> saga.retried(PlaceOrder.class, 1));
        failing.put("no PlaceOrder set aside", saga -> saga.setAside(PlaceOrder.class, "retries-exhausted"));
        return failing;
    }

    private static SagaScenario reserved() {
        return SagaScenario.of(new OrderSaga())
                .when("storefront", new PlaceOrder("7", 1999))
                .when("warehouse", new StockReserved("7"));
    }

    @TestFactory
    Stream<DynamicTest> eachAssertionFails() {
        return FAILING.entrySet().stream()
                .map(failing -> dynamicTest(failing.getKey(), () -> assertThatExceptionOfType(AssertionError.class)
                        .isThrownBy(() -> failing.getValue().accept(assertThat(reserved())))
                        .withMessageContaining(failing.getKey())));
    }

    @Test
    void aFailurePrintsTheSagaItsHistoryWhatItPublishedAndWhatHappened() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(reserved()).status(SagaStatus.COMPLETED))
                .withMessageContaining("saga OrderSaga 'scenario' is ACTIVE")
                .withMessageContaining("step 'pay' Capture is SENT")
                .withMessageContaining("timeout 'payment' at +15min")
                .withMessageContaining("took StockReserved")
                .withMessageContaining("  Capture {\"order\":\"7\",\"cents\":1999}")
                .withMessageContaining("warehouse      published StockReserved");
    }

    @Test
    void messagesSetAsideAreSeen() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() ->
                        assertThat(reserved().when("carrier", new Shipped("7"))).nothingSetAside())
                .withMessageContaining("messages were set aside");
    }

    @Test
    void aSagaThatIsNotThereHasNoStatus() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(SagaScenario.of(new OrderSaga()).advance(Duration.ZERO))
                        .status(SagaStatus.ACTIVE))
                .withMessageContaining("There is no such saga")
                .withMessageContaining("no saga OrderSaga with the id 'scenario'");
    }

    /** Talks to itself without end. */
    @BunnySaga
    static class Echo {

        record Call(int number) {}

        record Heard(int number) {}

        private final Bunny bunny;

        Echo(Bunny bunny) {
            this.bunny = bunny;
        }

        @Starts
        @BunnyHandler(from = {"mountain", "echo"})
        Heard on(Call call, @Nullable Heard before) {
            bunny.publish(new Call(call.number() + 1));
            return new Heard(call.number());
        }
    }

    @Test
    void aSagaWithoutAnEndIsToldOf() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> SagaScenario.of(Echo::new).inNode("echo").when("mountain", new Echo.Call(1)))
                .withMessageContaining("does not become idle")
                .withMessageContaining("published Call by echo=");
    }

    @Test
    void leavesNoThreadsBehindThoughNobodyClosesIt() {
        reserved();
        long before = simulated();
        for (int i = 0; i < 20; i++) {
            reserved().advance(Duration.ofMinutes(15));
        }
        assertThat(simulated()).isLessThanOrEqualTo(before + 5);
    }

    private static long simulated() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("safebunny-simulated"))
                .count();
    }
}
