// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosException;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.spi.store.StoreUnavailableException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Waits for answers of the service, for a limited time, and counts what they cost. Thread-safe. */
final class CosmosCalls {

    /** What is asked of the service. */
    enum Operation {
        CREATE,
        REPLACE,
        BATCH,
        READ,
        QUERY;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final String container;
    private final Duration timeout;
    private final Map<Operation, DistributionSummary> charges = new EnumMap<>(Operation.class);

    CosmosCalls(String container, Duration timeout, MeterRegistry meters) {
        this.container = container;
        this.timeout = timeout;
        for (Operation operation : Operation.values()) {
            charges.put(
                    operation,
                    DistributionSummary.builder("safebunny.cosmos.request.charge")
                            .description("Request units that Cosmos DB charged for one call")
                            .baseUnit("request units")
                            .tag("operation", operation.word())
                            .register(meters));
        }
    }

    void charge(Operation operation, double units) {
        Objects.requireNonNull(charges.get(operation)).record(units);
    }

    /** A refusal costs too. */
    void charge(Operation operation, Throwable answer) {
        if (answer instanceof CosmosException e) {
            charge(operation, e.getRequestCharge());
        }
    }

    <T> Mono<T> limited(Mono<T> call) {
        return call.timeout(timeout);
    }

    /**
     * @throws CosmosException what the service, or the client in its place, answered; its charge is counted
     * @throws StoreUnavailableException when there was no answer
     */
    <T> T run(Operation operation, Mono<T> call) {
        return Objects.requireNonNull(block(operation, limited(call)));
    }

    /** As {@link #run}, for calls that are limited one by one; throws for the first that failed when all have ended. */
    void runAll(Operation operation, Flux<?> calls) {
        block(operation, calls.then(Mono.just(operation)));
    }

    private <T> @Nullable T block(Operation operation, Mono<T> call) {
        try {
            return call.block();
        } catch (RuntimeException e) {
            Throwable failure = first(e);
            if (failure instanceof CosmosException answer) {
                charge(operation, answer.getRequestCharge());
                throw answer;
            }
            if (failure instanceof SafeBunnyException ours) {
                throw ours;
            }
            if (failure instanceof InterruptedException || failure.getCause() instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new StoreUnavailableException(
                    "Cosmos DB did not answer a %s in time, or this thread was interrupted [container=%s, timeout=%s]: %s."
                            .formatted(
                                    operation.word(),
                                    container,
                                    timeout,
                                    failure.getClass().getSimpleName()),
                    null,
                    failure);
        }
    }

    private static Throwable first(RuntimeException thrown) {
        Throwable failure = Exceptions.unwrap(thrown);
        return Exceptions.isMultiple(failure)
                ? Exceptions.unwrap(Exceptions.unwrapMultiple(failure).get(0))
                : failure;
    }
}
