// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PublishOptions;
import io.safebunny.harness.Trips.BookRoom;
import io.safebunny.harness.Trips.BookTrip;
import io.safebunny.harness.Trips.Broken;
import io.safebunny.harness.Trips.CancelRoom;
import io.safebunny.harness.Trips.Checked;
import io.safebunny.harness.Trips.Enquiry;
import io.safebunny.harness.Trips.Hotels;
import io.safebunny.harness.Trips.Offer;
import io.safebunny.harness.Trips.OfferEnds;
import io.safebunny.harness.Trips.Offers;
import io.safebunny.harness.Trips.RoomBooked;
import io.safebunny.harness.Trips.TripDeferred;
import io.safebunny.harness.Trips.TripPaid;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.test.BunnyHarness;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** What a {@code BunnyTest} promises, whatever its broker. */
@TestPropertySource(
        properties = {
            "safebunny.node=trips",
            "safebunny.retry.max-retries=1",
            "safebunny.retry.initial-interval=200ms",
            "safebunny.delayed-retry.delays=10s,1h",
        })
abstract class TripRules {

    @Autowired
    Hotels hotels;

    @Autowired
    Offers offers;

    @Autowired
    BunnyCircuitBreaker breaker;

    @Autowired
    BunnyOperations operations;

    @Autowired
    PoisonMessages poison;

    @BeforeEach
    void forget() {
        hotels.booked.clear();
        offers.asked.clear();
        offers.check = () -> {};
    }

    @Test
    void whatIsPublishedIsHandledAndPublishesMore(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new Enquiry(1));
        assertThat(offers.asked).isEmpty();

        bunny.runUntilIdle();

        assertThat(bunny.saga(saga)).handled(Enquiry.class, 1).published(Offer.class, 1);
    }

    @Test
    void sevenDaysPassAtOnce(BunnyHarness bunny) {
        bunny.as("storefront").publish(new Enquiry(1));
        assertThat(bunny.runUntilIdle()).next(OfferEnds.class).in(Duration.ofDays(7));
        assertThat(bunny.advance(Duration.ofDays(6))).next(OfferEnds.class).in(Duration.ofDays(1));
        assertThat(bunny.messages()).handled(OfferEnds.class, 0);

        assertThat(bunny.advance(Duration.ofDays(1))).isEmpty();
        assertThat(bunny.messages()).handled(OfferEnds.class, 1);
        assertThat(offers.asked).isEmpty();
    }

    @Test
    void failuresAreRetriedAndThenSetAside(BunnyHarness bunny) {
        Instant before = bunny.now();
        String saga = bunny.as("storefront").publish(new Broken("no such city"));

        bunny.runUntilIdle();

        assertThat(bunny.saga(saga))
                .retried(Broken.class, 2)
                .setAside(Broken.class, "retries-exhausted")
                .handled(Broken.class, 0);
        // an hour of retries, and a quarter of one in which the news of it waits for an instance whose saga it may
        // concern
        assertThat(Duration.between(before, bunny.now()).toSeconds()).isBetween(4510L, 4600L);
        assertThat(poison.list(PoisonFilter.all()).depth()).isEqualTo(1);
    }

    @Test
    void aSagaIsUndoneAfterItsTimeout(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new BookTrip("Rome"));
        assertThat(bunny.runUntilIdle()).nextTimeout("payment").in(Duration.ofDays(7));
        assertThat(hotels.booked).containsExactly("Rome");

        assertThat(bunny.advance(Duration.ofDays(7))).isEmpty();

        assertThat(bunny.saga(saga))
                .handled(BookRoom.class, 1)
                .handled(RoomBooked.class, 1)
                .handled(CancelRoom.class, 1)
                .nothingSetAside();
        assertThat(hotels.booked).isEmpty();
    }

    @Test
    void aTimeoutThatIsMovedComesThen(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new BookTrip("Rome"));
        bunny.runUntilIdle();
        bunny.as("payments")
                .publish(new TripDeferred("Rome", 3), PublishOptions.none().withCorrelationId(saga));

        assertThat(bunny.runUntilIdle()).nextTimeout("payment").in(Duration.ofDays(3));
        bunny.as("payments")
                .publish(new TripDeferred("Rome", 20), PublishOptions.none().withCorrelationId(saga));
        assertThat(bunny.runUntilIdle()).nextTimeout("payment").in(Duration.ofDays(20));
        assertThat(bunny.advance(Duration.ofDays(10))).nextTimeout("payment").in(Duration.ofDays(10));

        assertThat(bunny.advance(Duration.ofDays(10))).isEmpty();
        assertThat(bunny.saga(saga)).handled(CancelRoom.class, 1);
    }

    @Test
    void aSagaThatIsPaidIsNotUndone(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new BookTrip("Rome"));
        bunny.runUntilIdle();
        bunny.as("payments").publish(new TripPaid("Rome"), PublishOptions.none().withCorrelationId(saga));
        assertThat(bunny.runUntilIdle()).isEmpty(); // the timeout is cancelled

        bunny.advance(Duration.ofDays(7));

        assertThat(bunny.saga(saga)).handled(TripPaid.class, 1).never(CancelRoom.class);
        assertThat(hotels.booked).containsExactly("Rome");
    }

    @Test
    void aPausedTypeStaysWhereItIs(BunnyHarness bunny) {
        breaker.open(Enquiry.class, Duration.ofHours(1));
        bunny.as("storefront").publish(new Enquiry(1));

        bunny.runUntilIdle();
        assertThat(bunny.messages()).handled(Enquiry.class, 0);

        bunny.advance(Duration.ofHours(1));
        assertThat(bunny.messages()).handled(Enquiry.class, 1);
    }

    @Test
    void aTypePausedByAnOperatorStaysUntilItIsResumed(BunnyHarness bunny) {
        bunny.as("storefront").publish(new Enquiry(1)); // perhaps delivered already
        operations.pause("Enquiry", Duration.ofDays(1), Scope.NODE, "to see", "test");
        bunny.as("storefront").publish(new Enquiry(2));

        bunny.runUntilIdle();
        assertThat(bunny.messages()).handled(Enquiry.class, 0);

        operations.resume("Enquiry", Scope.NODE, "seen", "test");
        bunny.runUntilIdle();
        assertThat(bunny.messages()).handled(Enquiry.class, 2);
    }

    @Test
    void twoHundredMessagesAreHandled(BunnyHarness bunny) {
        IntStream.range(0, 200).forEach(number -> bunny.as("storefront").publish(new Enquiry(number)));

        bunny.runUntilIdle();

        assertThat(bunny.messages())
                .handled(Enquiry.class, 200)
                .published(Offer.class, 200)
                .nothingSetAside();
        assertThat(offers.asked).hasSize(200);
    }

    /** More than a consumer may have at once wait before they are tried again. */
    @Test
    void aHundredMessagesFailSideBySide(BunnyHarness bunny) {
        offers.check = () -> {
            Integer latest = offers.asked.get(offers.asked.size() - 1);
            if (Collections.frequency(offers.asked, latest) == 1) {
                throw new IllegalStateException("not yet");
            }
        };
        IntStream.range(0, 100).forEach(number -> bunny.as("storefront").publish(new Checked(number)));

        bunny.runUntilIdle();

        assertThat(bunny.messages()).handled(Checked.class, 100).nothingSetAside();
        assertThat(offers.asked).hasSize(200);
    }

    @Test
    void whatWasSetAsideIsReplayed(BunnyHarness bunny) {
        offers.check = () -> {
            throw new IllegalStateException("not yet");
        };
        String saga = bunny.as("storefront").publish(new Checked(1));
        bunny.runUntilIdle();
        assertThat(bunny.saga(saga)).setAside(Checked.class).handled(Checked.class, 0);

        offers.check = () -> {};
        poison.replay(PoisonRequest.of(PoisonFilter.all(), "test", "fixed"));
        bunny.runUntilIdle();

        assertThat(bunny.saga(saga)).handled(Checked.class, 1);
        assertThat(poison.list(PoisonFilter.all()).depth()).isZero();
    }

    @Test
    void whoForgetsToRunIsTold(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new Enquiry(1));

        assertThatThrownBy(() -> assertThat(bunny.saga(saga)).never(Offer.class))
                .hasMessageContaining("call runUntilIdle()");
        bunny.runUntilIdle();
    }

    @Test
    void nothingIsLeftForTheNextTestFirst(BunnyHarness bunny) {
        leavesEverythingBehind(bunny);
    }

    @Test
    void nothingIsLeftForTheNextTestSecond(BunnyHarness bunny) {
        leavesEverythingBehind(bunny);
    }

    private void leavesEverythingBehind(BunnyHarness bunny) {
        assertThat(bunny.runUntilIdle()).isEmpty();
        assertThat(bunny.advance(Duration.ofDays(30))).isEmpty();
        assertThat(bunny.messages()).handled(Enquiry.class, 0).never(Broken.class);
        assertThat(poison.list(PoisonFilter.all()).depth()).isEqualTo(0);

        bunny.as("storefront").publish(new Broken("no such city"));
        bunny.as("storefront").publish(new Enquiry(1)); // its offer has not ended
        bunny.as("storefront").publish(new BookTrip("Rome"));
        bunny.runUntilIdle();
        breaker.open(Enquiry.class, Duration.ofHours(1));
        bunny.as("storefront").publish(new Enquiry(2));
        bunny.runUntilIdle();
        assertThat(poison.list(PoisonFilter.all()).depth()).isEqualTo(1);
    }
}
