// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.OnExpired;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Commands that expire before their participant handles them, and what their saga is told. */
class SagaExpiredTest {

    private static final String ID = "trip-1";

    record Book(String trip) {}

    @BunnyMessage(validFor = "30s")
    record Hold(String trip) {}

    @BunnyMessage(validFor = "30s")
    record Release(String trip) {}

    @BunnyMessage(validFor = "30s", expired = Expired.DROP)
    record Ask(String trip) {}

    record State(String trip) {}

    @BunnySaga(participants = "hotel")
    static final class Trip {

        final List<String> told = new ArrayList<>();
        private final boolean asks;

        Trip(boolean asks) {
            this.asks = asks;
        }

        @Starts
        @BunnyHandler(from = "storefront")
        State on(Book book, SagaContext saga) {
            if (asks) {
                saga.step("ask", new Ask(book.trip()), new Release(book.trip()));
            } else {
                saga.step("hold", new Hold(book.trip()), new Release(book.trip()));
            }
            return new State(book.trip());
        }

        @OnExpired
        void expired(BlockedOn blockedOn, State state, SagaContext saga) {
            told.add("expired " + blockedOn.type() + ' ' + blockedOn.reason());
        }

        @OnPoisoned
        void poisoned(BlockedOn blockedOn) {
            told.add("poisoned " + blockedOn.type() + ' ' + blockedOn.reason());
        }
    }

    /** Has only the other method. */
    @BunnySaga(participants = "hotel")
    static final class OldTrip {

        final List<String> told = new ArrayList<>();

        @Starts
        @BunnyHandler(from = "storefront")
        State on(Book book, SagaContext saga) {
            saga.step("hold", new Hold(book.trip()), new Release(book.trip()));
            return new State(book.trip());
        }

        @OnPoisoned
        void poisoned(BlockedOn blockedOn) {
            told.add(blockedOn.type() + ' ' + blockedOn.reason());
        }
    }

    @BunnyMessage(validFor = "30s")
    record Answer(String trip) {}

    /** Hears from its participant. */
    @BunnySaga(participants = "hotel")
    static final class Asking {

        private final SagaWorld world;

        Asking(SagaWorld world) {
            this.world = world;
        }

        @Starts
        @BunnyHandler(from = "storefront")
        State on(Book book, SagaContext saga) {
            return new State(book.trip());
        }

        @BunnyHandler(from = "hotel")
        void on(Answer answer, State state, SagaContext saga) {
            world.effects.add("answer");
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final List<HandlerDefinition> hotel = List.of(
            SagaWorld.handler("trips", Hold.class, (payload, context) -> world.effects.add("hold")),
            SagaWorld.handler("trips", Ask.class, (payload, context) -> world.effects.add("ask")),
            SagaWorld.handler("trips", Release.class, (payload, context) -> world.effects.add("release")));

    /** The participant's queues are there, and it comes back when the deadline has passed. */
    private void book(Object saga) {
        watch();
        world.breakerSettings = BreakerSettings.defaults();
        world.start("storefront", List.of());
        world.start("hotel", hotel);
        world.start("trips", List.of(), saga);
        world.breakers("hotel").open(Hold.class, Duration.ofMinutes(1));
        world.breakers("hotel").open(Ask.class, Duration.ofMinutes(1));
        world.publish("storefront", new Book("1"), ID);
        world.pass(Duration.ofMinutes(2));
    }

    private final List<WireMessage> sent = new ArrayList<>();

    private void watch() {
        world.arrivals = message -> {
            sent.add(message.message());
            return 1;
        };
    }

    /** Which messages of a type had a deadline, in the order in which they were sent. */
    private List<Boolean> deadlines(String type) {
        return sent.stream()
                .filter(message -> type.equals(message.type()))
                .map(message -> message.headers().containsKey("sb-deadline"))
                .toList();
    }

    private SagaView saga(String name) {
        return world.sagas("trips").find(name, ID).orElseThrow();
    }

    @Test
    void isToldByItsOwnMethod() {
        Trip trip = new Trip(false);
        book(trip);

        assertThat(world.effects).isEmpty();
        assertThat(world.poison("hotel")).hasSize(1);
        assertThat(trip.told).containsExactly("expired Hold expired");
        assertThat(saga("Trip").blockedOn()).extracting(BlockedOn::reason).containsExactly("expired");
    }

    @Test
    void isToldAsSetAsideWithoutSuchAMethod() {
        OldTrip trip = new OldTrip();
        book(trip);

        assertThat(trip.told).containsExactly("Hold expired");
    }

    @Test
    void isRetriedWithoutADeadline() {
        book(new Trip(false));

        world.sagas("trips").retry("Trip", ID, "the hotel is there again");
        world.settle();

        assertThat(world.effects).containsExactly("hold");
        assertThat(saga("Trip").blockedOn()).isEmpty();
        assertThat(deadlines("Hold")).startsWith(true).endsWith(false);
    }

    @Test
    void isReplayedWithoutADeadline() {
        book(new Trip(false));
        WireMessage copy = world.poison("hotel").get(0);

        world.replay(copy, "hotel-Hold");

        assertThat(world.effects).containsExactly("hold");
    }

    @Test
    void isToldOfADroppedOneThatCannotBeRetriedAndMayBeUndone() {
        Trip trip = new Trip(true);
        book(trip);

        assertThat(world.effects).isEmpty();
        assertThat(world.poison("hotel")).isEmpty();
        assertThat(trip.told).containsExactly("expired Ask expired");
        world.sagas("trips").retry("Trip", ID, "the hotel is there again");
        world.settle();
        assertThat(world.effects).isEmpty();
        assertThat(saga("Trip").history())
                .anySatisfy(event -> assertThat(event.what()).contains("it was dropped"));
        assertThat(saga("Trip").blockedOn()).hasSize(1);

        world.sagas("trips").fail("Trip", ID, "no answer");
        world.settle();

        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("release");
    }

    /** The saga of {@link Asking} is paused until the deadline of what it hears has passed. */
    private void answerLate(Runnable meanwhile) {
        world.start("storefront", List.of());
        world.start("hotel", List.of());
        world.start("trips", List.of(), new Asking(world));
        world.publish("storefront", new Book("1"), ID);
        world.breakers("trips").open(Answer.class, Duration.ofMinutes(1));
        world.publish("hotel", new Answer("1"), ID);
        meanwhile.run();
        world.pass(Duration.ofMinutes(2));
    }

    @Test
    void isStuckOnAMessageThatHasExpired() {
        answerLate(() -> {});

        assertThat(saga("Asking").status()).isEqualTo(SagaStatus.STUCK);
        WireMessage copy = world.poison("trips").get(0);
        assertThat(copy.headers()).containsEntry("sb-poison-reason", "expired");

        world.replay(copy, "trips-Answer");

        assertThat(world.effects).containsExactly("answer");
        assertThat(saga("Asking").status()).isEqualTo(SagaStatus.ACTIVE);
    }

    /** It would be ignored if it had come in time. */
    @Test
    void ignoresWhatHasExpiredWhenItHasEnded() {
        answerLate(() -> world.sagas("trips").fail("Asking", ID, "given up"));

        assertThat(saga("Asking").status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.poison("trips")).isEmpty();
        assertThat(world.effects).isEmpty();
        assertThat(world.counted("safebunny.saga.ignored", "type", "Asking", "reason", "late"))
                .isEqualTo(1);
        assertThat(world.counted("safebunny.expired", "type", "Answer", "outcome", "told"))
                .isZero();
        assertThat(world.counted("safebunny.expired", "type", "Answer", "outcome", "dropped"))
                .isZero();
    }

    /** A policy of the broker gives what waits a time to live: nobody has dropped it. */
    @Test
    void anUndoThatTheBrokerHasSetAsideIsSentAgain() {
        watch();
        world.start("storefront", List.of());
        world.start("hotel", (MessageStore) null, hotel); // it has no record to tell of
        world.start("trips", List.of(), new Trip(false));
        world.publish("storefront", new Book("1"), ID);
        world.breakers("hotel").open(Release.class, Duration.ofHours(1));
        world.sagas("trips").fail("Trip", ID, "given up");
        world.settle();
        WireMessage undo = sent.stream()
                .filter(message -> "Release".equals(message.type()))
                .findFirst()
                .orElseThrow();
        Map<String, Object> headers = new HashMap<>(undo.headers());
        headers.put("x-death", List.of(Map.of("queue", "hotel-Release", "reason", "expired")));
        world.replay(undo.withHeaders(headers), "hotel-dead-letters");
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(saga("Trip").blockedOn()).extracting(BlockedOn::reason).containsExactly("expired");

        world.sagas("trips").retry("Trip", ID, "the policy is gone");
        world.settle();

        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(saga("Trip").blockedOn()).isEmpty();
        assertThat(deadlines("Release").size()).isGreaterThan(1);
        world.breakers("hotel").close(Release.class);
        world.settle();
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void anUndoHasNone() {
        watch();
        world.start("storefront", List.of());
        world.start("hotel", hotel);
        world.start("trips", List.of(), new Trip(false));
        world.publish("storefront", new Book("1"), ID);
        world.breakers("hotel").open(Release.class, Duration.ofHours(1));

        world.sagas("trips").fail("Trip", ID, "given up");
        world.pass(Duration.ofMinutes(5));
        world.breakers("hotel").close(Release.class);
        world.settle();

        assertThat(world.effects).containsExactly("hold", "release");
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.FAILED);
        assertThat(deadlines("Release")).containsOnly(false);
    }
}
