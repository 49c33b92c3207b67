// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

/** An application with a saga, to be tested on brokers of both kinds. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({Trips.TripSaga.class, Trips.Hotels.class, Trips.Offers.class})
class Trips {

    record BookTrip(String city) {}

    record BookRoom(String city) {}

    record RoomBooked(String city) {}

    record CancelRoom(String city) {}

    record TripPaid(String city) {}

    record TripDeferred(String city, int days) {}

    record Enquiry(int number) {}

    record Offer(int number) {}

    record OfferEnds(int number) {}

    record Broken(String why) {}

    record Checked(int number) {}

    @BunnySaga
    static class TripSaga {

        record State(String city) {}

        @Starts
        @BunnyHandler(from = "storefront")
        State on(BookTrip trip, SagaContext saga) {
            saga.step("room", new BookRoom(trip.city()), new CancelRoom(trip.city()));
            return new State(trip.city());
        }

        @BunnyHandler(from = "trips")
        void on(RoomBooked booked, SagaContext saga) {
            saga.timeout("payment", Duration.ofDays(7));
        }

        @BunnyHandler(from = "payments")
        void on(TripPaid paid, SagaContext saga) {
            saga.complete();
        }

        @BunnyHandler(from = "payments")
        void on(TripDeferred deferred, SagaContext saga) {
            saga.timeout("payment", Duration.ofDays(deferred.days()));
        }

        @OnTimeout("payment")
        void late(SagaContext saga) {
            saga.fail("not paid");
        }
    }

    @Component
    static class Hotels {

        final List<String> booked = new ArrayList<>();
        private final Bunny bunny;

        Hotels(Bunny bunny) {
            this.bunny = bunny;
        }

        @BunnyHandler(from = "trips")
        void on(BookRoom room) {
            booked.add(room.city());
            bunny.publish(new RoomBooked(room.city()));
        }

        @BunnyHandler(from = "trips")
        void on(CancelRoom room) {
            booked.remove(room.city());
        }
    }

    @Component
    static class Offers {

        private final Bunny bunny;
        final List<Integer> asked = new ArrayList<>();
        Runnable check = () -> {};

        Offers(Bunny bunny) {
            this.bunny = bunny;
        }

        @BunnyHandler(from = "storefront")
        void on(Enquiry enquiry) {
            asked.add(enquiry.number());
            bunny.publish(new Offer(enquiry.number()));
            bunny.publish(new OfferEnds(enquiry.number()), PublishOptions.none().withDelay(Duration.ofDays(7)));
        }

        @BunnyHandler(from = "trips")
        void on(OfferEnds end) {
            asked.remove(Integer.valueOf(end.number()));
        }

        @BunnyHandler(from = "storefront")
        void on(Checked checked) {
            asked.add(checked.number());
            check.run();
            bunny.publish(new Offer(checked.number()));
        }

        @BunnyHandler(from = "storefront")
        void on(Broken broken) {
            throw new IllegalStateException(broken.why());
        }
    }
}
