// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.versions;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.test.versions.Names.Release;
import io.safebunny.test.versions.Names.Reserve;
import io.safebunny.test.versions.Names.Second;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** A saga that starts with a message whose body has versions, as its command and undo have. */
@BunnySaga(participants = "warehouse")
class OrderSaga {

    private static final HandlerDefaults DEFAULTS = new HandlerDefaults(
            10,
            new RetrySettings(0, Duration.ofMillis(100), 2, Duration.ofSeconds(10), 0),
            new RetryStrategy(List.of(Duration.ofSeconds(10)), 0));

    record Cancelled(String order) {}

    /** Of the saga. */
    record State(String name) {}

    static SagaDefinition definition() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("orderSaga", new OrderSaga());
        return new SagaScanner(beans, DEFAULTS, null).sagas().get(0);
    }

    @Starts
    @BunnyHandler(from = "desk")
    State on(Second placed, SagaContext saga) {
        saga.step("reserve", new Reserve(placed.last()), new Release(placed.last()));
        return new State(placed.last());
    }

    @BunnyHandler(from = "desk")
    void on(Cancelled cancelled, SagaContext saga) {
        saga.fail("cancelled");
    }
}
