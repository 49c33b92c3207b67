// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaQuery;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.Starts;
import io.safebunny.saga.management.SagaSupervision;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A saga that a repair has left waiting for what nobody is known to send is found, with that repair as the cause. */
class SagaIdleTest {

    private static final String ID = "tour-1";

    record Begin(String id, List<String> steps) {}

    record Book(String id) {}

    record Booked(String id) {}

    record Pay(String id) {}

    record Paid(String id) {}

    record Wish(String id, boolean withTimeout, boolean withStep) {}

    record Nonsense(String id) {}

    record End(String id) {}

    @BunnySaga(participants = {"hotel", "bank"})
    static final class Tour {
        record State(String id) {}

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            for (String step : begin.steps()) {
                saga.step(step, step.equals("book") ? new Book(begin.id()) : new Pay(begin.id()));
            }
            return new State(begin.id());
        }

        @BunnyHandler(from = "hotel")
        void on(Booked booked, State state) {
            if (!booked.id().isEmpty()) {
                throw new PoisonMessageException("as the test wants");
            }
        }

        @BunnyHandler(from = "bank")
        void on(Paid paid, State state) {}

        @BunnyHandler(from = "desk")
        void on(Wish wish, State state, SagaContext saga) {
            if (wish.withTimeout()) {
                saga.timeout("late", Duration.ofDays(1));
            }
            if (wish.withStep()) {
                saga.step("more", new Pay(wish.id()));
            }
        }

        @BunnyHandler(from = "desk")
        void on(Nonsense nonsense, State state) {
            if (!nonsense.id().isEmpty()) {
                throw new PoisonMessageException("as the test wants");
            }
        }

        @BunnyHandler(from = "desk")
        void on(End end, State state, SagaContext saga) {
            saga.complete();
        }

        @OnTimeout("late")
        void late(State state) {}
    }

    private final SagaWorld world = new SagaWorld();
    private boolean hotelWorks = true;
    private boolean hotelAnswersFirst;
    private boolean hotelIsBusy;
    private boolean bankWorks = true;
    private boolean bankAnswers = true;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("tours", List.of(), new Tour());
        world.start("hotel", List.of(SagaWorld.handler("tours", Book.class, (payload, context) -> {
            if (hotelIsBusy) {
                throw new IllegalStateException("for now");
            }
            if (hotelAnswersFirst) {
                var unused = world.bunny("hotel").publishNow(new Booked("1"));
            }
            if (!hotelWorks) {
                throw new PoisonMessageException("as the test wants");
            }
            var unused = world.bunny("hotel").publish(new Booked("1"));
        })));
        world.start("bank", List.of(SagaWorld.handler("tours", Pay.class, (payload, context) -> {
            if (!bankWorks) {
                throw new IllegalStateException("for now");
            }
            if (bankAnswers) {
                var unused = world.bunny("bank").publish(new Paid("1"));
            }
        })));
    }

    private void send(Object message) {
        world.publish("desk", message, ID);
        world.settle();
    }

    private SagaView saga() {
        return world.saga("tours", ID);
    }

    private void resume() {
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        world.sagas("tours").resume("Tour", ID, "it can do without");
        world.settle();
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
    }

    private void skip(String step) {
        world.sagas("tours").skip("Tour", ID, step, "by hand");
        world.settle();
    }

    private void assertIdleSince(String repair) {
        assertThat(Objects.requireNonNull(saga().idleSince()).what()).isEqualTo(repair);
        assertThat(saga().history()).contains(saga().idleSince());
        assertThat(blocked()).containsExactly(ID);
        world.pass(SagaWorld.LEASE.multipliedBy(2));
        assertThat(counted()).isEqualTo(Map.of("Tour", 1L));
    }

    private void assertNotIdle() {
        assertThat(saga().idleSince()).isNull();
        assertThat(blocked()).isEmpty();
        world.pass(SagaWorld.LEASE.multipliedBy(2));
        assertThat(counted()).isEmpty();
    }

    /** Without time passing, so that what is in flight stays in flight. */
    private void assertWaitsForWhatIsInFlight() {
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().blockedOn()).isEmpty();
        assertThat(saga().idleSince()).isNull();
        assertThat(blocked()).isEmpty();
    }

    private List<String> blocked() {
        SagaQuery query = new SagaQuery(null, EnumSet.of(SagaStatus.ACTIVE), true, null, 10);
        return world.sagas("tours").page(query).sagas().stream()
                .map(SagaView::id)
                .toList();
    }

    private Map<String, Long> counted() {
        return world.engine("tours").get(SagaSupervision.class).blocked();
    }

    @Test
    void resumedWithoutTheAnswerToItsCommand() {
        send(new Begin("1", List.of("book")));

        resume();

        assertIdleSince("RESUME: it can do without");
    }

    @Test
    void isNotIdleWhileACommandThatNobodyAnswersMayBeAnswered() {
        bankAnswers = false;
        send(new Begin("1", List.of("book", "pay")));
        resume();
        assertNotIdle();
        world.publish("bank", new Paid("1"), ID); // not by its command, so nobody knows that it is the answer
        world.settle();
        assertNotIdle();

        skip("pay");

        assertIdleSince("SKIP: by hand");
    }

    @Test
    void skippedAndThenOnlyTheOtherAnswerHasCome() {
        hotelWorks = false;
        bankWorks = false;
        send(new Begin("1", List.of("book", "pay")));
        assertThat(saga().blockedOn()).hasSize(1);
        skip("book");
        assertWaitsForWhatIsInFlight();

        bankWorks = true;
        world.pass(Duration.ofMinutes(1));
        assertThat(saga().history()).extracting(Event::what).last().asString().startsWith("took Paid");

        assertIdleSince("SKIP: by hand");
    }

    @Test
    void resumedAndThenOnlyTheOtherAnswerHasCome() {
        bankWorks = false;
        send(new Begin("1", List.of("book", "pay")));
        resume();
        assertWaitsForWhatIsInFlight();

        bankWorks = true;
        world.pass(Duration.ofMinutes(1));

        assertIdleSince("RESUME: it can do without");
    }

    /** What somebody publishes by himself answers no command, so none is given up with it. */
    @Test
    void resumedWithoutWhatAnswersNoCommand() {
        bankWorks = false;
        send(new Begin("1", List.of("pay")));
        send(new Nonsense("1"));
        resume();
        send(new Wish("1", false, false));

        assertWaitsForWhatIsInFlight();

        bankWorks = true;
        world.pass(Duration.ofMinutes(1));
        assertIdleSince("RESUME: it can do without");
    }

    @Test
    void aCommandThatIsSentAgainIsInFlightAgain() {
        hotelAnswersFirst = true;
        hotelWorks = false;
        send(new Begin("1", List.of("book", "pay")));
        resume(); // without Booked, which gives it up
        assertThat(saga().blockedOn()).hasSize(1);
        hotelIsBusy = true;
        world.sagas("tours").retry("Tour", ID, "the hotel is open again");
        world.settle();

        skip("pay");

        assertWaitsForWhatIsInFlight();
    }

    @Test
    void aRefusedRepairAndAPatchDoNotBringItOn() {
        send(new Begin("1", List.of()));
        send(new Nonsense("1"));
        resume();
        world.sagas("tours").resume("Tour", ID, "again");
        world.settle();
        world.sagas("tours").patch("Tour", ID, saga().version(), "{\"id\":\"2\"}", "a typo");
        world.settle();

        assertIdleSince("RESUME: it can do without");
    }

    @Test
    void isNotIdleBecauseItWaitsForWhatOthersDoByThemselves() {
        send(new Begin("1", List.of()));
        assertNotIdle();

        send(new Nonsense("1"));
        resume();
        send(new Wish("1", false, false)); // what it waits for comes, and it waits for the next

        assertNotIdle();
    }

    @Test
    void isNotIdleWhileItHasATimeout() {
        send(new Begin("1", List.of()));
        send(new Wish("1", true, false));
        send(new Nonsense("1"));

        resume();

        assertNotIdle();
    }

    @Test
    void isNotIdleOnceItHasSentSomethingOrEnded() {
        send(new Begin("1", List.of()));
        send(new Nonsense("1"));
        resume();
        assertIdleSince("RESUME: it can do without");
        assertThat(saga().endedAt()).isNull();

        send(new Wish("1", false, true));
        assertNotIdle();

        world.pass(Duration.ofMinutes(1));
        send(new End("1"));
        assertNotIdle();
        assertThat(saga().endedAt()).isEqualTo(saga().changedAt());
    }
}
