// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is set aside of a saga that then ends is no violation: a person discards it. */
class EndedSagaSimulationTest {

    private static boolean readable;

    record Book(String trip) {}

    record Begun(String trip) {}

    record GiveUp(String trip) {}

    record Paid(String trip) {

        Paid {
            if (!readable) {
                throw new IllegalArgumentException("as the test wants");
            }
        }
    }

    @BunnySaga
    static final class Trip {

        @Starts
        @BunnyHandler(from = "desk")
        Begun on(Book book) {
            return new Begun(book.trip());
        }

        @BunnyHandler(from = "desk")
        void on(GiveUp giveUp, SagaContext saga) {
            saga.fail("given up");
        }

        @BunnyHandler(from = "desk")
        void on(Paid paid) {}
    }

    private static void declare(SimulatedSystem system) {
        readable = true;
        Paid paid = new Paid("1");
        readable = false;
        system.node("trips", 1, node -> List.of(new Trip()))
                .publish("desk", new Book("1"), "trip-1")
                .publish("desk", new GiveUp("1"), "trip-1")
                .publish("desk", paid, "trip-1")
                .replaysAfter(() -> readable = true)
                .holds("the saga has ended", () -> assertThat(system.sagas("trips", "trip-1"))
                        .singleElement()
                        .matches(saga -> saga.status().isEnded()));
    }

    @Test
    void nothingIsLeftThatSomebodyNeeds() {
        assertThat(Simulation.of(EndedSagaSimulationTest::declare).explore(1, 1))
                .as("in the order in which they were sent")
                .isNull();
    }
}
