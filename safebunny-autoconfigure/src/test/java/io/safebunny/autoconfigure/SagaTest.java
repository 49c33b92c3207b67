// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Sagas in an application context. */
class SagaTest {

    private static final String ID = "order-1";

    record Paid(String orderId) {}

    record Returned(String orderId) {}

    record Refund(String orderId) {}

    record Charge(String orderId) {}

    @BunnySaga
    static class Order {
        record State(String orderId) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "shop")
        void on(Returned returned, SagaContext saga) {
            saga.step("refund", new Refund(returned.orderId()), new Charge(returned.orderId()));
            saga.fail("as the test wants");
        }

        @BunnyHandler(from = "shop")
        void on(Paid paid, SagaContext saga) {
            throw new PoisonMessageException("this order cannot be paid");
        }
    }

    record Lent(String orderId) {}

    record Lend(String orderId) {}

    /** Sends a command that its own node sets aside, and is done when it is told. */
    @BunnySaga
    static class Loan {
        record LoanState(String orderId) {}

        @Starts
        @BunnyHandler(from = "shop")
        LoanState on(Lent lent, SagaContext saga) {
            saga.step("lend", new Lend(lent.orderId()));
            return new LoanState(lent.orderId());
        }
    }

    static class Lender {
        @BunnyHandler(from = "shop")
        void on(Lend lend) {
            throw new PoisonMessageException("nothing is lent");
        }
    }

    /** Has them injected while the context starts. */
    record Support(Sagas sagas) {}

    private final ApplicationContextRunner node = Nodes.memory()
            .withBean(Order.class)
            .withBean(Support.class)
            .withPropertyValues("safebunny.store.type=memory", "safebunny.dedup.lease=1s");

    private static void publish(AssertableApplicationContext context, Object message) {
        context.getBean(Bunny.class).publish(message, PublishOptions.none().withCorrelationId(ID));
    }

    private static void awaitStatus(AssertableApplicationContext context, SagaStatus status) {
        Sagas sagas = context.getBean(Support.class).sagas();
        await().untilAsserted(() ->
                assertThat(sagas.find(ID)).extracting(SagaView::status).containsExactly(status));
    }

    /** The repair has left it waiting for nothing, so it still needs a person. */
    private static void awaitIdle(AssertableApplicationContext context, String saga) {
        await().untilAsserted(() -> {
            Health health = Healths.part(context, "sagas");
            assertThat(health.getStatus()).isEqualTo(new Status("DEGRADED"));
            assertThat(health.getDetails())
                    .containsEntry("blocked", Map.of(saga, 1L))
                    .doesNotContainKey("needingRepair");
            assertThat(context.getBean(Sagas.class).find(saga, ID))
                    .get()
                    .extracting(SagaView::idleSince)
                    .isNotNull();
        });
    }

    @Test
    void areInjected() {
        node.run(context -> {
            publish(context, new OrderPlaced("1"));

            awaitStatus(context, SagaStatus.ACTIVE);
        });
    }

    @Test
    void needAStore() {
        node.withPropertyValues("safebunny.store.type=none").run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("SB-1108 Sagas need a store")
                .hasStackTraceContaining("Order")
                .hasStackTraceContaining("safebunny.store.type"));
    }

    /** The tests have safebunny-jdbc on the class path, and here no DataSource. */
    @Test
    void areToldWhatAStoreModuleLacks() {
        Nodes.memory().withBean(Order.class).run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("SB-1108 Sagas need a store")
                .hasStackTraceContaining("spring-boot-starter-jdbc")
                .hasStackTraceContaining("spring.datasource.url")
                .hasStackTraceContaining("@Primary"));
    }

    @Test
    void thoseThatAreUndoingShowInTheHealthWithTheTimeOfTheOldest() {
        node.run(context -> {
            publish(context, new OrderPlaced("1"));
            awaitStatus(context, SagaStatus.ACTIVE);
            publish(context, new Returned("1"));
            awaitStatus(context, SagaStatus.COMPENSATING);

            await().untilAsserted(
                            () -> assertThat(Healths.part(context, "sagas").getDetails())
                                    .hasEntrySatisfying("undoing", undoing -> assertThat(undoing.toString())
                                            .startsWith("{Order=1, the oldest since ")));
            assertThat(Healths.part(context, "sagas").getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void oneThatIsStuckDegradesTheHealthUntilItIsRepaired() {
        node.run(context -> {
            publish(context, new OrderPlaced("1"));
            awaitStatus(context, SagaStatus.ACTIVE);
            await().untilAsserted(() ->
                    assertThat(Healths.part(context, "sagas").getDetails()).containsOnlyKeys("asOf"));

            publish(context, new Paid("1"));

            awaitStatus(context, SagaStatus.STUCK);
            await().untilAsserted(() -> {
                Health health = Healths.part(context, "sagas");
                assertThat(health.getStatus()).isEqualTo(new Status("DEGRADED"));
                assertThat(health.getDetails())
                        .containsEntry("needingRepair", Map.of("Order", Map.of(SagaStatus.STUCK, 1L)));
            });

            context.getBean(Sagas.class).resume("Order", ID, "it was paid in cash");
            awaitIdle(context, "Order");
            context.getBean(Sagas.class).fail("Order", ID, "it waits for nothing");

            await().untilAsserted(() ->
                    assertThat(Healths.part(context, "sagas").getStatus()).isEqualTo(Status.UP));
        });
    }

    @Test
    void oneThatIsBlockedDegradesTheHealthUntilItNoLongerWaits() {
        node.withBean(Loan.class).withBean(Lender.class).run(context -> {
            publish(context, new Lent("1"));

            await().untilAsserted(() -> {
                Health health = Healths.part(context, "sagas");
                assertThat(health.getStatus()).isEqualTo(new Status("DEGRADED"));
                assertThat(health.getDetails())
                        .containsEntry("blocked", Map.of("Loan", 1L))
                        .doesNotContainKey("needingRepair");
            });
            Sagas sagas = context.getBean(Sagas.class);
            assertThat(sagas.list("Loan", SagaStatus.ACTIVE, Duration.ZERO, 10)).hasSize(1);

            sagas.skip("Loan", ID, "lend", "lent by hand");
            awaitIdle(context, "Loan");
            sagas.fail("Loan", ID, "it waits for nothing");

            await().untilAsserted(() ->
                    assertThat(Healths.part(context, "sagas").getStatus()).isEqualTo(Status.UP));
        });
    }
}
