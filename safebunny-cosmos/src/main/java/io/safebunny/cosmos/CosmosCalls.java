// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosException;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.store.StoreUnavailableException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls the service, waits for the response with a timeout, and measures the request units. Thread-safe. */
final class CosmosCalls {

    /** Kinds of requests; also the values of the meter's tag. */
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

    /** Failed requests are charged too. */
    void charge(Operation operation, Throwable answer) {
        if (answer instanceof CosmosException e) {
            charge(operation, e.getRequestCharge());
        }
    }

    <T> Mono<T> limited(Mono<T> call) {
        return call.timeout(timeout);
    }

    /**
     * @throws CosmosException the error response of the service, or of the client on its behalf; its charge is already counted
     * @throws StoreUnavailableException when there was no response in time
     */
    <T> T run(Operation operation, Mono<T> call) {
        return Objects.requireNonNull(block(operation, limited(call)));
    }

    /** Like {@link #run}; {@code null} if the call has no result. */
    <T> @Nullable T find(Operation operation, Mono<T> call) {
        return block(operation, limited(call));
    }

    /**
     * Runs a query that somebody waits for, and that nobody but him repeats.
     *
     * @param which ids, for exception texts
     * @param advice what to do, as the beginning of "again"
     * @param atMost {@code null} if only the timeout limits it
     * @throws StoreUnavailableException when the service or the client refused, or there was no response in time
     */
    <T> T search(String which, String advice, @Nullable Duration atMost, Mono<T> query) {
        Duration limit = atMost == null || atMost.compareTo(timeout) > 0 ? timeout : atMost;
        try {
            return Objects.requireNonNull(block(
                    Operation.QUERY,
                    query.timeout(limit)
                            .onErrorMap(
                                    TimeoutException.class,
                                    late -> new StoreUnavailableException(
                                            "Cosmos DB did not answer a search in time [%s, container=%s, at-most=%s]. %s again; check the network and the account if this goes on."
                                                    .formatted(which, container, limit, advice),
                                            null,
                                            late))));
        } catch (CosmosException e) {
            throw CosmosErrors.ofSearch(which, container, advice, e);
        }
    }

    /** Like {@link #run}, but for several calls that have their own timeouts. Throws the first failure once all have ended. */
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
                    "Cosmos DB did not answer a %s in time, or this thread was interrupted [container=%s, timeout=%s]: %s. SafeBunny retries later; check the network and the account if this goes on."
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
