// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.MisuseException;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** An application in a test goes on with sagas and messages that were stored elsewhere. */
@BunnyTest(
        classes = ContinuedTest.Travels.class,
        properties = {"safebunny.node=travels", "safebunny.store.type=memory"})
class ContinuedTest {

    private static final String TRIP = """
            {
              "format": 1, "startedAt": 1772000000000, "changedAt": 1772359200000, "status": "ACTIVE",
              "stateVersion": 1, "state": {"city": "Riga"},
              "timeouts": {"boarding": {"token": "t-1", "due": %s, "wakesAt": %s}}
            }""";

    private static final Instant CHANGED_AT = Instant.ofEpochMilli(1772359200000L);

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(TripSaga.class)
    static class Travels {}

    @BunnySaga
    static class TripSaga {

        record Booked(String city) {}

        record Boarded(String gate) {}

        record Trip(String city) {}

        @Starts
        @BunnyHandler(from = "desk")
        Trip on(Booked booked) {
            return new Trip(booked.city());
        }

        @BunnyHandler(from = {"desk", "travels"})
        void on(Boarded boarded, Trip trip, SagaContext saga) {
            saga.complete();
        }

        @OnTimeout("boarding")
        void late(SagaContext saga) {
            saga.fail("too late");
        }
    }

    private static String boardingIn(Duration due) {
        long at = CHANGED_AT.plus(due).toEpochMilli();
        return TRIP.formatted(at, at);
    }

    @Test
    void aSagaGoesOn(BunnyHarness bunny) {
        bunny.stored("TripSaga", "trip-1", boardingIn(Duration.ofHours(1)));
        String saga = bunny.as("desk").deliver("Boarded", "{\"gate\": \"7\"}", "trip-1");

        bunny.runUntilIdle();

        assertThat(saga).isEqualTo("trip-1");
        assertThat(bunny.saga("trip-1"))
                .status(SagaStatus.COMPLETED)
                .handled(TripSaga.Boarded.class, 1)
                .nothingSetAside();
    }

    @Test
    void itsTimeoutsComeWhenTheyAreDue(BunnyHarness bunny) {
        bunny.stored("TripSaga", "trip-1", boardingIn(Duration.ofHours(1)));
        bunny.stored("TripSaga", "trip-2", boardingIn(Duration.ofHours(-1)));

        assertThat(bunny.runUntilIdle()).nextTimeout("boarding").in(Duration.ofHours(1));
        assertThat(bunny.saga("trip-1")).status(SagaStatus.ACTIVE);
        assertThat(bunny.saga("trip-2")).status(SagaStatus.FAILED);

        bunny.advance(Duration.ofHours(1));
        assertThat(bunny.saga("trip-1")).status(SagaStatus.FAILED);
    }

    @Test
    void aBodyIsDeliveredAsItIs(BunnyHarness bunny) {
        String saga = bunny.as("desk").deliver("Booked", "{\"city\": 1, \"city\": 2}");
        String own = bunny.as("travels").deliver("Boarded", "{\"gate\": \"7\"}");

        bunny.runUntilIdle();

        assertThat(bunny.saga(saga)).setAside(TripSaga.Booked.class, "malformed-body");
        assertThat(bunny.saga(own)).setAside(TripSaga.Boarded.class, "unknown-saga");
    }

    @Test
    void saysWhatItDoesNotTake(BunnyHarness bunny) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> bunny.as("storefront").deliver("Booked", "{}"))
                .withMessageContaining(
                        "takes no Booked from 'storefront', but [Boarded from [desk, travels], Booked from [desk]]");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> bunny.as("desk").deliver("Landed", "{}"))
                .withMessageContaining("takes no Landed from 'desk'");
    }

    @Test
    void saysWhatItCannotStore(BunnyHarness bunny) {
        bunny.stored("TripSaga", "trip-1", boardingIn(Duration.ofHours(1)));

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> bunny.stored("TripSaga", "trip-1", boardingIn(Duration.ofHours(1))))
                .withMessageContaining("there is one with this id already");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> bunny.stored("Tour", "trip-2", boardingIn(Duration.ofHours(1))))
                .withMessageContaining("the node has the sagas [TripSaga]");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> bunny.stored("TripSaga", "two words", boardingIn(Duration.ofHours(1))))
                .withMessageContaining("id=two words");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> bunny.stored("TripSaga", "trip-2", "{}"))
                .withMessageContaining("not a stored saga");
    }
}
