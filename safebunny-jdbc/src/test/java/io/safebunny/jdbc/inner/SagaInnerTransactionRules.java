// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.inner.Shop.Told;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a saga's method does to its saga in a transaction that is rolled back is not done. */
@Timeout(60)
abstract class SagaInnerTransactionRules {

    private final Shop shop =
            new Shop(TestDatabase.H2, new JdbcTransactionManager(TestDatabase.H2.pool()), store(), false);

    abstract StoreKind store();

    @AfterEach
    void close() {
        shop.close();
    }

    @BunnySaga(name = "trip")
    record Trip(Consumer<SagaContext> work) {

        record State(String order) {}

        @Starts
        @BunnyHandler(from = "desk")
        State on(Shop.Order order, SagaContext saga) {
            work.accept(saga);
            return new State(order.id());
        }

        @OnTimeout("late")
        State late(State state) {
            return state;
        }
    }

    private void book(Consumer<SagaContext> work) {
        shop.orderWith(new Trip(work));
    }

    private static void rollBack(TransactionTemplate transaction, Runnable work) {
        transaction.executeWithoutResult(status -> {
            work.run();
            status.setRollbackOnly();
        });
    }

    private SagaView saga() {
        List<SagaView> sagas = shop.sagasOfTheOrder("trip");
        assertThat(sagas).hasSize(1);
        return sagas.get(0);
    }

    private List<String> steps() {
        return saga().steps().stream().map(SagaView.Step::name).toList();
    }

    @Test
    void aStepIsNotSentAndItsNameIsFree() {
        book(saga -> {
            rollBack(shop.ofItsOwn(), () -> saga.step("flight", new Told("lost"), new Told("undo lost")));
            saga.step("flight", new Told("flight"), new Told("undo flight"));
            rollBack(shop.ofItsOwn(), () -> assertThat(saga.forget("flight")).isTrue());
        });

        assertThat(steps()).containsExactly("flight");
        shop.awaitSent("flight");
    }

    @Test
    void aNestedOneTakesStepsAndTimeoutsAlong() {
        book(saga -> shop.joining().executeWithoutResult(outer -> {
            saga.step("flight", new Told("flight"));
            rollBack(shop.nested(), () -> {
                saga.step("hotel", new Told("hotel"));
                saga.timeout("late", Duration.ofHours(1));
            });
            saga.step("car", new Told("car"));
        }));

        assertThat(steps()).containsExactly("flight", "car");
        assertThat(saga().timeouts()).isEmpty();
        shop.awaitSent("flight", "car");
    }

    @Test
    void aTimeoutThatIsMovedOrCancelledIsAsItWas() {
        book(saga -> {
            saga.timeout("late", Duration.ofHours(1));
            rollBack(shop.ofItsOwn(), () -> saga.timeout("late", Duration.ofHours(3)));
            rollBack(shop.ofItsOwn(), () -> assertThat(saga.cancelTimeout("late"))
                    .isTrue());
        });

        assertThat(saga().timeouts()).containsOnlyKeys("late");
        assertThat(saga().timeouts().get("late")).isBefore(saga().startedAt().plus(Duration.ofHours(2)));
    }

    @Test
    void itNeitherFailsNorCompletes() {
        book(saga -> {
            saga.step("flight", new Told("flight"), new Told("undo flight"));
            rollBack(shop.ofItsOwn(), () -> saga.fail("lost"));
            rollBack(shop.ofItsOwn(), saga::complete);
            saga.step("hotel", new Told("hotel"));
        });

        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().reason()).isNull();
        shop.awaitSent("flight", "hotel");
    }

    @Test
    void whatIsCommittedStays() {
        book(saga -> {
            shop.ofItsOwn().executeWithoutResult(status -> saga.step("flight", new Told("flight"), new Told("undo")));
            shop.ofItsOwn().executeWithoutResult(status -> saga.fail("no hotel"));
        });

        assertThat(saga().status()).isIn(SagaStatus.COMPENSATING, SagaStatus.FAILED);
        shop.awaitSent("flight", "undo");
    }

    /** Part of what was done stays, and part does not: nobody can tell what the saga would be. */
    @Test
    void anInnerOneThatIsCommittedInOneThatIsRolledBackFailsTheMethod() {
        book(saga -> rollBack(shop.ofItsOwn(), () -> {
            saga.step("flight", new Told("flight"));
            shop.ofItsOwn().executeWithoutResult(status -> saga.step("hotel", new Told("hotel")));
        }));

        assertThat(shop.sent).isEmpty();
        assertThat(shop.setAside()).isEqualTo(1);
    }
}
