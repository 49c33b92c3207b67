// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;

/** A saga of node {@code sales} that asks node {@code stock} for something, and fails because there is no answer. */
@BunnySaga(participants = "stock")
class Sale {

    record Sell(String id) {}

    record Reserve(String id) {}

    record Release(String id) {}

    record State(String id) {}

    @Starts
    @BunnyHandler(from = "sales")
    State on(Sell sell, SagaContext saga) {
        saga.step("reserve", new Reserve(sell.id()), new Release(sell.id()));
        saga.timeout("answer", Duration.ofSeconds(2));
        return new State(sell.id());
    }

    @OnTimeout("answer")
    void late(SagaContext saga) {
        saga.fail("no answer");
    }
}
