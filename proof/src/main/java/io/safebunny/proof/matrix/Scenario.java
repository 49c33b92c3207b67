// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.store.StoreAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One row of the matrix. Immutable.
 *
 * @param notApplicable why it does not apply to a store, or {@code null}
 * @param expectation what must be true at the end, which may depend on the store
 */
record Scenario(
        String name,
        OrderKind kind,
        Script script,
        Function<StoreAddress, @Nullable String> notApplicable,
        Function<StoreAddress, Expectation> expectation) {

    /** Runs it until only waiting is left. */
    @FunctionalInterface
    interface Script {
        void play(Stage stage, Order order);
    }

    @Nullable
    String notApplicableTo(StoreAddress store) {
        return notApplicable.apply(store);
    }

    Expectation expectationFor(StoreAddress store) {
        return expectation.apply(store);
    }

    @Override
    public String toString() {
        return name;
    }
}
