// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model.saga;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A second saga for each order, beside {@link ShopSaga}: it adds up points, and has two timeouts at once, of which the later one is set first.
 * Whatever becomes of the other one, it must have all points, and each of its timeouts must have run once.
 */
@BunnySaga(name = BookSaga.NAME)
public final class BookSaga {

    public static final String NAME = "Book";

    public record Mark(int points) {}

    public record State(int points, int firsts, int seconds) {}

    @Starts
    @BunnyHandler(from = "storefront")
    State on(Mark mark, @Nullable State state, SagaContext saga) {
        if (state == null) {
            saga.timeout("second", Duration.ofMinutes(4));
            saga.timeout("first", Duration.ofMinutes(2));
            return new State(mark.points(), 0, 0);
        }
        return new State(state.points() + mark.points(), state.firsts(), state.seconds());
    }

    @OnTimeout("first")
    State first(State state) {
        return new State(state.points(), state.firsts() + 1, state.seconds());
    }

    @OnTimeout("second")
    State second(State state) {
        return new State(state.points(), state.firsts(), state.seconds() + 1);
    }

    /** @return what is wrong in the end; empty for nothing */
    public static String judge(@Nullable SagaView view, int points) {
        String whole = "{\"points\":%s,\"firsts\":1,\"seconds\":1}".formatted(points);
        return view != null && view.state().equals(whole) && view.blockedOn().isEmpty()
                ? ""
                : "its book is %s instead of %s".formatted(view, whole);
    }
}
