// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model.saga;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import tools.jackson.databind.JsonNode;

/** One saga as two versions of an application know it. */
public final class TourSagas {

    public record Begin(int euros) {}

    public record Add(int euros) {}

    private TourSagas() {}

    /** Whether the fields that only {@link Noting} writes are all there: with each message it adds one to those that it finds. */
    public static boolean isWhole(JsonNode state, int noted) {
        return state.path("notes").size() == noted
                && state.path("last").path("number").asInt(0) == noted;
    }

    /** As it was first. */
    @BunnySaga(name = "Tour")
    public static final class First {
        record Euros(int euros) {}

        @Starts
        @BunnyHandler(from = "desk")
        Euros on(Begin begin) {
            return new Euros(begin.euros());
        }

        @BunnyHandler(from = "desk")
        Euros on(Add add, Euros state) {
            return new Euros(state.euros() + add.euros());
        }
    }

    /** Has more fields, nested ones among them, which the first one can do without. */
    @BunnySaga(name = "Tour")
    public static final class Noting {
        record Last(int number) {}

        record Noted(int euros, List<Integer> notes, Last last) {}

        private final ToIntFunction<String> noted;

        /** @param noted counts, by saga, what this class handles, and gives the number */
        public Noting(ToIntFunction<String> noted) {
            this.noted = noted;
        }

        @Starts
        @BunnyHandler(from = "desk")
        Noted on(Begin begin, SagaContext saga) {
            return new Noted(begin.euros(), List.of(begin.euros()), new Last(noted.applyAsInt(saga.sagaId())));
        }

        @BunnyHandler(from = "desk")
        Noted on(Add add, Noted state, SagaContext saga) {
            List<Integer> notes = new ArrayList<>(state.notes() == null ? List.of() : state.notes());
            notes.add(add.euros());
            return new Noted(state.euros() + add.euros(), notes, new Last(noted.applyAsInt(saga.sagaId())));
        }
    }
}
