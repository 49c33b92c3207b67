// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two classes that have a saga for one id each, with timeouts and steps of the same names: what happens to one leaves the other alone. */
class SagaPairTest {

    private static final String ID = "order-1";
    private static final Duration LATE = Duration.ofMinutes(10);

    record Pack(String order) {}

    record Pay(String order) {}

    record PackLater(String order) {}

    record PayLater(String order) {}

    record PackNever(String order) {}

    record Wrap(String order) {}

    record Unwrap(String order) {}

    record Charge(String order) {}

    record Refund(String order) {}

    record State(String order) {}

    @BunnySaga(participants = "hands")
    static final class Packing {
        final List<String> events = new ArrayList<>();
        boolean failing;

        @Starts
        @BunnyHandler(from = "desk")
        State on(Pack pack, SagaContext saga) {
            saga.step("work", new Wrap(pack.order()), new Unwrap(pack.order()));
            saga.timeout("late", LATE);
            saga.timeout("reminder", LATE.dividedBy(2));
            return new State(pack.order());
        }

        @BunnyHandler(from = "desk")
        void on(PackLater later, SagaContext saga) {
            if (failing) {
                throw new PoisonMessageException("as the test wants");
            }
            saga.timeout("late", LATE);
        }

        @BunnyHandler(from = "desk")
        void on(PackNever never, SagaContext saga) {
            events.add("cancelled: " + saga.cancelTimeout("late") + ", again: " + saga.cancelTimeout("late"));
        }

        @OnTimeout("reminder")
        void remind() {
            events.add("reminded");
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            events.add("late");
            saga.fail("not packed");
        }
    }

    @BunnySaga(participants = "hands")
    static final class Paying {
        final List<String> events = new ArrayList<>();

        @Starts
        @BunnyHandler(from = "desk")
        State on(Pay pay, SagaContext saga) {
            saga.step("work", new Charge(pay.order()), new Refund(pay.order()));
            saga.timeout("late", LATE);
            return new State(pay.order());
        }

        @BunnyHandler(from = "desk")
        void on(PayLater later, SagaContext saga) {
            saga.timeout("late", LATE);
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            events.add("late");
            saga.fail("not paid");
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Packing packing = new Packing();
    private final Paying paying = new Paying();

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("orders", List.of(), packing, paying);
        world.start("hands", List.of(doing(Wrap.class), doing(Unwrap.class), doing(Charge.class), doing(Refund.class)));
        world.publish("desk", new Pack("1"), ID);
        world.publish("desk", new Pay("1"), ID);
        assertThat(world.effects).containsExactly("Wrap", "Charge");
        world.effects.clear();
    }

    private HandlerDefinition doing(Class<?> payload) {
        return SagaWorld.handler("orders", payload, (message, context) -> world.effects.add(payload.getSimpleName()));
    }

    private SagaView saga(Object saga) {
        return world.sagas("orders").find(saga.getClass().getSimpleName(), ID).orElseThrow();
    }

    private void getStuck() {
        packing.failing = true;
        world.publish("desk", new PackLater("1"), ID);
        assertThat(saga(packing).status()).isEqualTo(SagaStatus.STUCK);
    }

    @Test
    void eachRunsItsOwnTimeoutOnce() {
        world.pass(LATE.multipliedBy(2));

        assertThat(packing.events).containsExactly("reminded", "late");
        assertThat(paying.events).containsExactly("late");
        assertThat(saga(packing).reason()).isEqualTo("not packed");
        assertThat(saga(paying).reason()).isEqualTo("not paid");
        assertThat(world.effects).containsExactlyInAnyOrder("Unwrap", "Refund");
    }

    @Test
    void eachGetsItsOwnBackWhenAllMessagesAreLost() {
        world.stop("orders");
        world.start("orders", new MemoryMessageStore(world.timeline, Duration.ofDays(7)), List.of(), packing, paying);
        world.losesDelayed = true;
        world.publish("desk", new Pack("3"), "3");
        world.publish("desk", new Pay("3"), "3");
        world.losesDelayed = false;
        packing.events.clear();
        world.pass(LATE.plus(SagaWorld.LEASE.multipliedBy(2)));

        assertThat(packing.events).containsExactly("reminded", "late");
        assertThat(paying.events).containsExactly("late");
    }

    @Test
    void moveAndCancelConcernOneSagaAlone() {
        world.pass(LATE.dividedBy(2));
        world.publish("desk", new PackLater("1"), ID);
        world.pass(LATE.dividedBy(2));
        assertThat(packing.events).containsExactly("reminded");
        assertThat(paying.events).containsExactly("late");
        assertThat(world.effects).containsExactly("Refund");

        world.publish("desk", new PackNever("1"), ID);
        world.pass(LATE.multipliedBy(2));

        assertThat(packing.events).containsExactly("reminded", "cancelled: true, again: false");
        assertThat(saga(packing).status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga(paying).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("Refund");
    }

    @Test
    void aStuckOneHoldsUpItsOwnTimeoutsOnly() {
        getStuck();
        world.pass(LATE.multipliedBy(2));

        assertThat(packing.events).isEmpty();
        assertThat(saga(packing).status()).isEqualTo(SagaStatus.STUCK);
        assertThat(paying.events).containsExactly("late");
        assertThat(saga(paying).status()).isEqualTo(SagaStatus.FAILED);

        packing.failing = false;
        world.sagas("orders").resume("Packing", ID, "mended");
        world.pass(Duration.ofMinutes(1));

        assertThat(packing.events).containsOnlyOnce("late"); // which ends it, so the other one may not run any more
        assertThat(world.effects).containsExactly("Refund", "Unwrap");
    }

    @Test
    void aRepairReachesTheOneItNames() {
        getStuck();

        world.sagas("orders").fail("Packing", ID, "given up");
        world.settle();

        assertThat(saga(packing).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga(packing).reason()).isEqualTo("given up");
        assertThat(saga(paying).status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga(paying).history())
                .noneSatisfy(event -> assertThat(event.what()).contains("given up"));
        assertThat(world.effects).containsExactly("Unwrap");
    }

    /** Its name is that of a step of the other, too. */
    @Test
    void aStepIsSkippedInTheOneThatIsNamed() {
        world.sagas("orders").skip("Packing", ID, "work", "not needed");
        world.settle();
        world.pass(LATE.multipliedBy(2));

        assertThat(saga(packing).steps())
                .extracting(SagaView.Step::status)
                .containsExactly(SagaView.StepStatus.SKIPPED);
        assertThat(saga(paying).steps()).extracting(SagaView.Step::status).containsExactly(SagaView.StepStatus.UNDONE);
        assertThat(world.effects).containsExactly("Refund");
    }

    @Test
    void aPatchIsJudgedByTheVersionOfTheOneItNames() {
        world.publish("desk", new PackLater("1"), ID);
        long version = saga(packing).version();
        assertThat(saga(paying).version()).isLessThan(version);

        world.sagas("orders").patch("Packing", ID, version, "{\"order\":\"patched\"}", "renamed");
        world.settle();

        assertThat(saga(packing).state()).contains("patched");
        assertThat(saga(paying).state()).isEqualTo("{\"order\":\"1\"}");
    }
}
