// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;

/** An order of eight messages: placed, reserved, charged and shipped, each with its answer; or one that cannot be shipped, and is undone. */
@BunnySaga(name = ShippingSaga.NAME)
public final class ShippingSaga {

    static final String NAME = "Shipping";

    public record Place(String order) {}

    public record Reserve(String order) {}

    public record Release(String order) {}

    public record Reserved(String order) {}

    public record Charge(String order) {}

    public record Refund(String order) {}

    public record Charged(String order) {}

    public record Ship(String order) {}

    public record Shipped(String order) {}

    public record Unshippable(String order) {}

    /** The eighth message. */
    public record Done(String order) {}

    record State(String order, int messages) {}

    private final io.safebunny.proof.saga.Node node;

    public ShippingSaga(io.safebunny.proof.saga.Node node) {
        this.node = node;
    }

    @Starts
    @BunnyHandler(from = "${desk}")
    State on(Place place, SagaContext saga) {
        saga.step("stock", new Reserve(place.order()), new Release(place.order()));
        saga.timeout("late", Duration.ofHours(1));
        return new State(place.order(), 1);
    }

    @BunnyHandler(from = "${services}")
    State on(Reserved reserved, State state, SagaContext saga) {
        saga.step("charge", new Charge(state.order()), new Refund(state.order()));
        return new State(state.order(), state.messages() + 1);
    }

    @BunnyHandler(from = "${services}")
    State on(Charged charged, State state, SagaContext saga) {
        saga.step("ship", new Ship(state.order()));
        return new State(state.order(), state.messages() + 1);
    }

    @BunnyHandler(from = "${services}")
    State on(Shipped shipped, State state, SagaContext saga) {
        var unused = node.bunny().publish(new Done(state.order()));
        saga.complete();
        return new State(state.order(), state.messages() + 1);
    }

    @BunnyHandler(from = "${services}")
    void on(Unshippable unshippable, SagaContext saga) {
        saga.fail("unshippable");
    }

    @OnTimeout("late")
    void late(SagaContext saga) {
        saga.fail("too late");
    }
}
