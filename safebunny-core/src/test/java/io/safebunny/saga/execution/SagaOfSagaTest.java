// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A saga that is a step of another one of its id: its step counts as undone only when it is. */
class SagaOfSagaTest {

    private static final String ID = "trip-1";
    private static final Duration MINUTE = Duration.ofMinutes(1);

    record Book(String trip) {}

    record GiveUp(String trip) {}

    record Deliver(String trip) {}

    record CallBack(String trip) {}

    record Delivered(String trip) {}

    record Lost(String trip) {}

    record Drive(String trip) {}

    record DriveBack(String trip) {}

    record Loop(String trip) {}

    record Unloop(String trip) {}

    record State(String trip) {}

    @BunnySaga
    static final class Trip {
        @Starts
        @BunnyHandler(from = "desk")
        State on(Book book, SagaContext saga) {
            saga.step("delivery", new Deliver(book.trip()), new CallBack(book.trip()));
            return new State(book.trip());
        }

        @BunnyHandler(from = "desk")
        void on(GiveUp giveUp, SagaContext saga) {
            saga.fail("given up");
        }

        @BunnyHandler(from = "trips")
        void on(Unloop undo) {}

        @BunnyHandler(from = "desk")
        void on(Loop loop, SagaContext saga) {
            saga.step("loop", new Loop(loop.trip()), new Unloop(loop.trip()));
        }
    }

    @BunnySaga(participants = "driver")
    static final class Delivery {
        final List<String> events = new ArrayList<>();
        boolean refuses;

        @Starts
        @BunnyHandler(from = "trips")
        State on(Deliver deliver, SagaContext saga) {
            if (refuses) {
                throw new PoisonMessageException("as the test wants");
            }
            saga.step("drive", new Drive(deliver.trip()), new DriveBack(deliver.trip()));
            return new State(deliver.trip());
        }

        @BunnyHandler(from = "desk")
        void on(Delivered delivered, SagaContext saga) {
            saga.complete();
        }

        @BunnyHandler(from = "desk")
        void on(Lost lost, SagaContext saga) {
            saga.fail("lost");
        }

        /** Its command may never have come. */
        @Starts
        @BunnyHandler(from = "trips")
        State on(CallBack undo, @Nullable State state, SagaContext saga) {
            events.add(state == null ? "nothing to call back" : "called back");
            if (state == null) {
                saga.complete();
                return new State(undo.trip());
            }
            saga.fail("called back");
            return state;
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Delivery delivery = new Delivery();
    private boolean drivesBack = true;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("trips", List.of(), new Trip(), delivery);
        world.start(
                "driver",
                List.of(
                        SagaWorld.handler("trips", Drive.class, (payload, context) -> world.effects.add("drive")),
                        SagaWorld.handler("trips", DriveBack.class, (payload, context) -> {
                            if (!drivesBack) {
                                throw new PoisonMessageException("as the test wants");
                            }
                            world.effects.add("drive back");
                        })));
    }

    private void send(Object message) {
        world.publish("desk", message, ID);
    }

    private SagaView saga(String name) {
        return world.sagas("trips").find(name, ID).orElseThrow();
    }

    @Test
    void anActiveOneUndoesItself() {
        send(new Book("1"));
        send(new GiveUp("1"));
        world.pass(MINUTE);

        assertThat(delivery.events).containsExactly("called back");
        assertThat(world.effects).containsExactly("drive", "drive back");
        assertThat(saga("Delivery").status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void oneThatHasCompletedIsNotTakenForUndone() {
        send(new Book("1"));
        send(new Delivered("1"));
        send(new GiveUp("1"));
        world.pass(MINUTE);

        assertThat(delivery.events).isEmpty();
        SagaView trip = saga("Trip");
        assertThat(trip.status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(trip.steps()).extracting(SagaView.Step::status).containsExactly(SagaView.StepStatus.UNDOING);
        assertThat(trip.blockedOn()).extracting(BlockedOn::type).containsExactly("CallBack");
        assertThat(world.poison("trips")).singleElement().satisfies(copy -> assertThat(
                        String.valueOf(copy.headers().get("x-exception-message")))
                .contains("Saga Delivery trip-1 is COMPLETED and ignores this undo"));

        // not a message that its saga only ignores: a replay that is not refused acknowledges it
        assertThat(world.engine("trips")
                        .get(PoisonMessages.class)
                        .list(PoisonFilter.all())
                        .messages())
                .extracting(PoisonedMessage::verdict)
                .containsExactly(Verdict.RUN);
        world.sagas("trips").skip("Trip", ID, "delivery", "by hand");
        world.settle();
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void oneThatIsFailingIsWaitedFor() {
        drivesBack = false;
        send(new Book("1"));
        send(new Lost("1"));
        send(new GiveUp("1"));
        world.pass(Duration.ofHours(1));
        assertThat(saga("Delivery").status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.COMPENSATING);

        drivesBack = true;
        world.sagas("trips").retry("Delivery", ID, "the road is open");
        world.pass(MINUTE.multipliedBy(2));

        assertThat(world.effects).containsExactly("drive", "drive back");
        assertThat(saga("Delivery").status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.poison("trips")).isEmpty();
    }

    @Test
    void oneThatNeverBeganHasNothingToUndo() {
        delivery.refuses = true;
        send(new Book("1"));
        send(new GiveUp("1"));
        world.pass(MINUTE);
        delivery.refuses = false;
        for (WireMessage copy : world.poison("trips")) {
            world.replay(copy, "trips-Deliver");
        }
        world.pass(MINUTE);

        assertThat(delivery.events).containsExactly("nothing to call back");
        assertThat(world.effects).isEmpty();
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void itsOwnUndoIsRefused() {
        send(new Book("1"));
        send(new Loop("1"));

        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.STUCK);
        assertThat(world.poison("trips")).singleElement().satisfies(copy -> assertThat(
                        String.valueOf(copy.headers().get("x-exception-message")))
                .startsWith("SB-5012")
                .contains("would take the undo itself"));
    }
}
