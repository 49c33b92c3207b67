// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.cosmos.CosmosContainerOptions;
import io.safebunny.cosmos.CosmosContainers;
import io.safebunny.cosmos.CosmosRecords;
import io.safebunny.failure.ConfigurationException;
import java.time.Duration;
import java.util.function.Function;

/** The client in use. Not a bean of the client's own type, so that injecting the application's client is never ambiguous. */
final class CosmosConnection implements AutoCloseable {

    private final Function<CosmosContainerOptions, CosmosAsyncContainer> opener;
    private final Reader reader;
    private final Runnable closer;

    private CosmosConnection(
            Function<CosmosContainerOptions, CosmosAsyncContainer> opener, Reader reader, Runnable closer) {
        this.opener = opener;
        this.reader = reader;
        this.closer = closer;
    }

    static CosmosConnection borrowed(CosmosAsyncClient client) {
        return of(client, () -> {});
    }

    static CosmosConnection borrowed(CosmosClient client) {
        return new CosmosConnection(
                options -> CosmosContainers.open(client, options),
                (options, timeout, meters) -> new CosmosRecords(client, options, timeout, meters),
                () -> {});
    }

    /** @throws ConfigurationException SB-1414 when the client cannot be built, which requires the account to answer */
    static CosmosConnection build(CosmosClientBuilder builder) {
        try {
            CosmosAsyncClient client = builder.buildAsyncClient();
            return of(client, client::close);
        } catch (RuntimeException e) {
            throw new ConfigurationException(
                    "SB-1414",
                    "The Cosmos DB client cannot be built [spring.cloud.azure.cosmos.endpoint]: the address is invalid, the"
                            + " account does not answer or the key is not Base64.",
                    "Check spring.cloud.azure.cosmos.endpoint and key, and the network. See docs/cosmos.md.",
                    e);
        }
    }

    private static CosmosConnection of(CosmosAsyncClient client, Runnable closer) {
        return new CosmosConnection(
                options -> CosmosContainers.open(client, options),
                (options, timeout, meters) -> new CosmosRecords(client, options, timeout, meters),
                closer);
    }

    CosmosAsyncContainer open(CosmosContainerOptions options) {
        return opener.apply(options);
    }

    CosmosRecords records(CosmosContainerOptions options, Duration requestTimeout, MeterRegistry meters) {
        return reader.records(options, requestTimeout, meters);
    }

    @Override
    public void close() {
        closer.run();
    }

    private interface Reader {
        CosmosRecords records(CosmosContainerOptions options, Duration requestTimeout, MeterRegistry meters);
    }
}
