// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;

/** A saga of the node {@code trips}, with a step at the node {@code airline}. */
final class Trips {

    private Trips() {}

    record Book(String trip) {}

    record Paid(String trip) {}

    record Cancelled(String trip) {}

    record Fly(String trip) {}

    record FlyBack(String trip) {}

    record Trip(String trip) {}

    @BunnySaga(participants = "airline")
    static final class TripSaga {
        @Starts
        @BunnyHandler(from = "desk")
        Trip on(Book book, SagaContext saga) {
            saga.step("flight", new Fly(book.trip()), new FlyBack(book.trip()));
            return new Trip(book.trip());
        }

        @BunnyHandler(from = "desk")
        void on(Paid paid, SagaContext saga) {
            saga.complete();
        }

        @BunnyHandler(from = "desk")
        void on(Cancelled cancelled, SagaContext saga) {
            saga.fail("cancelled");
        }
    }
}
