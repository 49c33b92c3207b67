// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.versions;

import io.safebunny.Bunny;
import io.safebunny.MessageContext;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** An instance of the node, which fails at each attempt but the last. Every tenth message fails at that one too. */
final class Instance implements AutoCloseable {

    static final int RETRIES = 3;

    private static final BreakerSettings NO_FAILURE_RATE = new BreakerSettings(0, 100, 100, Duration.ofSeconds(1), 1);

    private final SafeBunnyEngine engine;
    private final AtomicInteger runs = new AtomicInteger();

    Instance(String node, Transport transport, MessageStore store, Timeline timeline, Executor threads) {
        engine = new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(node), transport, timeline)
                .store(store)
                .breakers(new CircuitBreakers(NO_FAILURE_RATE, timeline, threads))
                .build());
        engine.start(List.of(new HandlerDefinition(
                "parcels",
                "Parcel",
                Parcel.class,
                List.of(node),
                20,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(RETRIES, Duration.ofMillis(20))),
                (payload, context) -> handle((Parcel) payload, context))));
    }

    private void handle(Parcel parcel, MessageContext context) {
        runs.incrementAndGet();
        if (context.attempt() < RETRIES || parcel.isBad()) {
            throw new NotYet();
        }
    }

    /** How often its handler ran. */
    int runs() {
        return runs.get();
    }

    Bunny bunny() {
        return engine.bunny();
    }

    @Override
    public void close() {
        engine.stop(Duration.ofSeconds(5));
    }

    record Parcel(int number) {

        boolean isBad() {
            return number % 10 == 0;
        }
    }

    private static final class NotYet extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotYet() {
            super("not yet", null, false, false);
        }
    }
}
