// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is left in the poison queue of a saga that does not wait for it any more: a replay does nothing, so it is not offered. */
class SagaIgnoredCopyTest {

    private static final String ID = "trip-1";

    record Book(String trip) {}

    record Paid(String trip) {}

    record Cancelled(String trip) {}

    record Fly(String trip) {}

    record FlyBack(String trip) {}

    record Trip(String trip) {}

    @BunnySaga(participants = "airline")
    static final class TripSaga {
        boolean failing = true;
        int paid;
        int reminded;

        @Starts
        @BunnyHandler(from = "desk")
        Trip on(Book book, SagaContext saga) {
            saga.step("flight", new Fly(book.trip()), new FlyBack(book.trip()));
            saga.timeout("remind", Duration.ofMinutes(5));
            return new Trip(book.trip());
        }

        @BunnyHandler(from = "desk")
        void on(Paid answer) {
            fails();
            paid++;
        }

        @BunnyHandler(from = "desk")
        void on(Cancelled cancelled, SagaContext saga) {
            saga.fail("cancelled");
        }

        @OnTimeout("remind")
        void remind() {
            fails();
            reminded++;
        }

        private void fails() {
            if (failing) {
                throw new PoisonMessageException("as the test wants");
            }
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final TripSaga trips = new TripSaga();
    private final Set<String> refused = new HashSet<>();

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.consumeMiddlewares = List.of((context, next) -> {
            if (refused.contains(context.type())) {
                throw new PoisonMessageException("as the test wants");
            }
            next.run();
        });
        world.start("trips", List.of(), trips);
        world.start(
                "airline",
                List.of(
                        SagaWorld.handler("trips", Fly.class, (payload, context) -> world.effects.add("fly")),
                        SagaWorld.handler("trips", FlyBack.class, (payload, context) -> world.effects.add("back"))));
        world.publish("desk", new Book("1"), ID);
    }

    private SagaView saga() {
        return world.sagas("trips").find("TripSaga", ID).orElseThrow();
    }

    private PoisonMessages poison() {
        return world.engine("trips").get(PoisonMessages.class);
    }

    private PoisonedMessage shown() {
        List<PoisonedMessage> all = poison().list(PoisonFilter.all()).messages();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private static PoisonRequest all() {
        return PoisonRequest.of(PoisonFilter.all(), "tester", "what would it do?");
    }

    private void fail() {
        world.sagas("trips").fail("TripSaga", ID, "given up");
        world.pass(Duration.ofSeconds(1));
    }

    /** It is judged as done, no replay moves it, and a replay by hand does nothing. */
    private void requireIgnored(String queue, String why) {
        SagaView before = saga();
        assertThat(shown().verdict()).isEqualTo(Verdict.DONE);
        assertThat(shown().explanation()).isEqualTo(why + ": a replay does nothing, so discard it.");
        var dry = poison().replay(all().asDryRun());
        world.settle();
        var replay = poison().replay(all().withForce());
        world.settle();
        assertThat(dry.progress().moved()).isZero();
        assertThat(replay.progress().moved()).isZero();
        assertThat(replay.progress().verdicts()).containsOnlyKeys(Verdict.DONE);

        WireMessage copy = world.poison("trips").get(0);
        var discard = poison().discard(all());
        world.settle();
        assertThat(discard.progress().moved()).isEqualTo(1);
        world.replay(copy, queue);
        assertThat(world.poison("trips")).isEmpty();
        assertThat(saga().history()).isEqualTo(before.history());
        assertThat(saga().status()).isEqualTo(before.status());
    }

    @Test
    void whatItWasStuckOnIsToBeReplayedUntilItIsFailed() {
        world.publish("desk", new Paid("1"), ID);
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        assertThat(shown().verdict()).isEqualTo(Verdict.RUN);

        trips.failing = false;
        fail();

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        requireIgnored("trips-Paid", "Saga TripSaga trip-1 is FAILED, and takes no more messages");
        assertThat(trips.paid).isZero();
        assertThat(world.effects).containsExactly("fly", "back");
    }

    /** It would lead to the newer copy, which does nothing either. */
    @Test
    void anOlderCopyIsIgnoredLikeTheNewerOne() {
        world.publish("desk", new Paid("1"), ID);
        WireMessage copy = world.poison("trips").get(0);
        Map<String, Object> older = new LinkedHashMap<>(copy.headers());
        long version = (long) Objects.requireNonNull(older.get(Headers.POISON_VERSION));
        older.put(Headers.POISON_VERSION, version - 1);
        world.replay(copy.withHeaders(older), "trips-poison");
        assertThat(poison().list(PoisonFilter.all()).messages())
                .extracting(PoisonedMessage::verdict)
                .containsExactlyInAnyOrder(Verdict.RUN, Verdict.SUPERSEDED);

        trips.failing = false;
        fail();

        assertThat(poison().list(PoisonFilter.all()).messages())
                .hasSize(2)
                .allSatisfy(
                        shown -> assertThat(shown.explanation())
                                .isEqualTo(
                                        "Saga TripSaga trip-1 is FAILED, and takes no more messages: a replay does nothing, so discard it."));
    }

    @Test
    void itIsIgnoredAlreadyWhileTheStepsAreUndone() {
        world.publish("desk", new Paid("1"), ID);
        trips.failing = false;
        world.stop("airline");
        fail();

        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATING);
        requireIgnored("trips-Paid", "Saga TripSaga trip-1 is COMPENSATING, and takes no more messages");
    }

    /** A resume has sent another alarm, which has run. */
    @Test
    void anAlarmOfATimeoutThatHasRunSince() {
        world.pass(Duration.ofMinutes(6));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        assertThat(shown().verdict()).isEqualTo(Verdict.RUN);

        trips.failing = false;
        world.sagas("trips").resume("TripSaga", ID, "mended");
        world.settle();

        assertThat(trips.reminded).isEqualTo(1);
        requireIgnored(
                "trips-BunnyTimeout",
                "Saga TripSaga trip-1 is ACTIVE, and waits no more for this alarm of its timeout remind");
        assertThat(trips.reminded).isEqualTo(1);
    }

    @Test
    void anAcknowledgementOfAStepThatWasSkippedSince() {
        trips.failing = false;
        refused.add("BunnyUndone");
        world.publish("desk", new Cancelled("1"), ID);
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(shown().verdict()).isEqualTo(Verdict.RUN);

        refused.clear();
        world.sagas("trips").skip("TripSaga", ID, "flight", "the airline says so");
        world.settle();

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        requireIgnored(
                "trips-BunnyUndone",
                "Step flight of saga TripSaga trip-1 is SKIPPED, and waits for no acknowledgement");
    }
}
