// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While a new class of sagas is deployed, its messages come to instances that do not have it yet. */
class SagaDeploymentTest {

    private static final String ID = "trip-1";

    record Begin(String id) {}

    record Book(String id) {}

    record Unbook(String id) {}

    record Cancel(String id) {}

    record Open(String id) {}

    /** The new one. */
    @BunnySaga(participants = "hotel")
    static final class Trip {
        record TripState(String id) {}

        @Starts
        @BunnyHandler(from = "desk")
        TripState on(Begin begin, SagaContext saga) {
            saga.step("book", new Book(begin.id()), new Unbook(begin.id()));
            return new TripState(begin.id());
        }

        @BunnyHandler(from = "desk")
        void on(Cancel cancel, TripState state, SagaContext saga) {
            saga.fail("cancelled");
        }
    }

    /** The old one, which may have a saga of the same id. */
    @BunnySaga
    static final class Bill {
        record BillState(String id) {}

        @Starts
        @BunnyHandler(from = "desk")
        BillState on(Open open) {
            return new BillState(open.id());
        }
    }

    record Remind(String id) {}

    /** The new version of one that there was before. */
    @BunnySaga(name = "Reminder")
    static final class NewReminder {
        record ReminderState(String id) {}

        final List<String> reminded = new ArrayList<>();

        @Starts
        @BunnyHandler(from = "desk")
        ReminderState on(Remind remind, SagaContext saga) {
            saga.timeout("soon", Duration.ofMinutes(1));
            return new ReminderState(remind.id());
        }

        @OnTimeout("soon")
        void soon(ReminderState state) {
            reminded.add(state.id());
        }
    }

    @BunnySaga(name = "Reminder")
    static final class OldReminder {
        record OldState(String id) {}

        @Starts
        @BunnyHandler(from = "desk")
        OldState on(Remind remind) {
            return new OldState(remind.id());
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final MessageStore store = new MemoryMessageStore(world.timeline, Duration.ofDays(7));
    private boolean full;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        startNewer();
        world.start(
                "hotel",
                List.of(
                        SagaWorld.handler("shop", Book.class, (payload, context) -> {
                            if (full) {
                                throw new PoisonMessageException("full");
                            }
                        }),
                        SagaWorld.handler("shop", Unbook.class, (payload, context) -> world.effects.add("unbook"))));
        world.publish("desk", new Open("1"), ID);
    }

    private void startNewer() {
        world.stop("shop");
        world.start("shop", store, List.of(), new Bill(), new Trip());
    }

    private void startOlder() {
        world.stop("shop");
        world.start("shop", store, List.of(), new Bill());
    }

    /** As if it had waited in its queue, for longer than a deployment takes. */
    private void holdForAnHour(String type, Runnable sending) {
        List<WireMessage> held = new ArrayList<>();
        world.arrivals = message -> {
            boolean isHeld = type.equals(message.message().type())
                    && message.route() instanceof Route.ToSubscribers
                    && message.message().body().length > 0;
            if (isHeld) {
                held.add(message.message());
            }
            return isHeld ? 0 : 1;
        };
        sending.run();
        world.pass(Duration.ofHours(1));
        world.arrivals = message -> 1;
        assertThat(held).hasSize(1);
        world.replay(held.get(0), "shop-" + type);
    }

    private SagaView trip() {
        return world.sagas("shop").find("Trip", ID).orElseThrow();
    }

    private void assertBillUntouched() {
        SagaView bill = world.sagas("shop").find("Bill", ID).orElseThrow();
        assertThat(bill.status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(bill.blockedOn()).isEmpty();
    }

    @Test
    void anAcknowledgementWaitsForAnInstanceThatHasItsClass() {
        world.publish("desk", new Begin("1"), ID);
        world.stop("hotel"); // its queues stay
        world.publish("desk", new Cancel("1"), ID);
        startOlder();
        world.start("hotel", List.of(SagaWorld.handler("shop", Unbook.class, (payload, context) -> {})));
        world.pass(Duration.ofMinutes(10));
        assertThat(world.poison("shop")).isEmpty();

        startNewer();
        world.pass(Duration.ofMinutes(5));

        assertThat(trip().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.poison("shop")).isEmpty();
        assertBillUntouched();
    }

    @Test
    void oneForWhichThereIsNoSagaIsSetAsideInTheEnd() {
        world.publish("desk", new Begin("1"), ID);
        world.stop("hotel");
        world.publish("desk", new Cancel("1"), ID);
        startOlder();
        world.start("hotel", List.of(SagaWorld.handler("shop", Unbook.class, (payload, context) -> {})));
        world.pass(Duration.ofHours(1));

        assertThat(world.poison("shop")).singleElement().satisfies(copy -> assertThat(copy.headers())
                .containsEntry("sb-poison-reason", "unknown-saga"));
    }

    @Test
    void newsOfACommandWaitsForAnInstanceThatHasItsClass() {
        full = true;
        world.stop("hotel");
        world.publish("desk", new Begin("1"), ID);
        startOlder();
        world.start("hotel", List.of(SagaWorld.handler("shop", Book.class, (payload, context) -> {
            throw new PoisonMessageException("full");
        })));
        world.pass(Duration.ofMinutes(10));
        assertBillUntouched();

        startNewer();
        world.pass(Duration.ofMinutes(10));

        assertThat(trip().blockedOn()).extracting(BlockedOn::type).containsExactly("Book");
        assertThat(world.poison("shop")).isEmpty();
        assertBillUntouched();
    }

    @Test
    void oldNewsWaitsAsLong() {
        full = true;
        holdForAnHour("BunnyPoisoned", () -> {
            world.publish("desk", new Begin("1"), ID);
            startOlder();
        });
        world.pass(Duration.ofMinutes(10));

        startNewer();
        world.pass(Duration.ofMinutes(10));

        assertThat(trip().blockedOn()).extracting(BlockedOn::type).containsExactly("Book");
        assertBillUntouched();
    }

    @Test
    void anOldAcknowledgementWaitsAsLong() {
        world.publish("desk", new Begin("1"), ID);
        holdForAnHour("BunnyUndone", () -> {
            world.publish("desk", new Cancel("1"), ID);
            startOlder();
        });
        world.pass(Duration.ofMinutes(10));
        assertThat(world.poison("shop")).isEmpty();

        startNewer();
        world.pass(Duration.ofMinutes(5));

        assertThat(trip().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.poison("shop")).isEmpty();
    }

    @Test
    void aTimeoutThatIsLongOverWaitsAsLongForAnInstanceThatHasItsMethod() {
        NewReminder reminder = new NewReminder();
        world.stop("shop");
        world.start("shop", store, List.of(), reminder);
        world.publish("desk", new Remind("1"), ID);
        world.stop("shop");
        world.timeline.advance(Duration.ofHours(1)); // the node is down
        world.start("shop", store, List.of(), new OldReminder());
        world.pass(Duration.ofMinutes(10));
        assertThat(world.sagas("shop").find("Reminder", ID).orElseThrow().status())
                .isEqualTo(SagaStatus.ACTIVE);

        world.stop("shop");
        world.start("shop", store, List.of(), reminder);
        world.pass(Duration.ofMinutes(5));

        assertThat(reminder.reminded).containsExactly("1");
        assertThat(world.poison("shop")).isEmpty();
    }
}
