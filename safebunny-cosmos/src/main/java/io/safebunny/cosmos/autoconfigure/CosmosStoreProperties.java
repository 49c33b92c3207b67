// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import io.safebunny.failure.InvalidProperty;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The message store in Azure Cosmos DB.
 *
 * @param endpoint Address of the account, not needed if the application defines a client or a CosmosClientBuilder bean. Falls
 *     back to spring.cloud.azure.cosmos.endpoint.
 * @param key Key of the account. Falls back to spring.cloud.azure.cosmos.key; without any, a TokenCredential bean or the
 *     environment's Azure identity is used.
 * @param database Database of the container. Falls back to spring.cloud.azure.cosmos.database, then to safebunny.
 * @param container Container of this node's records; no other node may use it. Defaults to the container prefix and the node's
 *     name.
 * @param containerPrefix Prefix of the container's name when it is derived from the node's name.
 * @param connectionMode How to connect to the service. Direct: over TCP to the data nodes, which is faster but needs ports 10000
 *     to 20000 open. Gateway: over HTTPS on one port.
 * @param managedIdentityClientId Client id of the user-assigned managed identity, if the environment's Azure identity is used.
 * @param createContainer Whether a missing container and its database are created at start.
 * @param autoscaleMaxThroughput Request units per second up to which a created container scales, a multiple of 1000; 0 for
 *     serverless accounts and databases with shared throughput. Raising it also raises the minimum charge, which is a tenth of
 *     it.
 * @param acceptMultipleWriteRegions Whether to start although the account accepts writes in several regions. Safe only if all
 *     instances of this node write to the same region.
 * @param requestTimeout How long one call of the service may take. Raising it holds a handler's thread for longer when the
 *     service hangs.
 */
@ConfigurationProperties("safebunny.store.cosmos")
record CosmosStoreProperties(
        @Nullable String endpoint,
        @Nullable String key,
        @Nullable String database,
        @Nullable String container,
        @DefaultValue("safebunny-") String containerPrefix,
        @DefaultValue("direct") ConnectionMode connectionMode,
        @Nullable String managedIdentityClientId,
        @DefaultValue("true") boolean createContainer,
        @DefaultValue("1000") int autoscaleMaxThroughput,
        @DefaultValue("false") boolean acceptMultipleWriteRegions,
        @DefaultValue("10s") Duration requestTimeout) {

    CosmosStoreProperties {
        InvalidProperty.unlessWithin(
                Duration.ofMillis(100),
                Duration.ofMinutes(5),
                "safebunny.store.cosmos.request-timeout",
                requestTimeout,
                "10s");
    }

    /** How to connect to the service. */
    enum ConnectionMode {
        /** Over HTTPS on one port. */
        GATEWAY,
        /** Over TCP to the data nodes. */
        DIRECT
    }

    /** Leaves out the key. */
    @Override
    public String toString() {
        return "CosmosStoreProperties[endpoint=%s, database=%s, container=%s]".formatted(endpoint, database, container);
    }
}
