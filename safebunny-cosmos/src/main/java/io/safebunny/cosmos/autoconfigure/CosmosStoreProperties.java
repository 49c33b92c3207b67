// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import io.safebunny.failure.InvalidProperty;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The message store in Azure Cosmos DB. The account is configured with spring.cloud.azure.cosmos.*, or by a bean.
 *
 * @param container Container of this node's records; no other node may use it. Defaults to safebunny- and the node's name.
 * @param createContainer Whether a missing container and its database are created at start.
 * @param autoscaleMaxThroughput Request units per second up to which a created container scales, a multiple of 1000; 0 for
 *     serverless accounts and databases with shared throughput. Raising it also raises the minimum charge, which is a tenth of
 *     it.
 * @param acceptMultipleWriteRegions Whether to start although the account accepts writes in several regions. Safe only if all
 *     instances of this node write to the same region.
 * @param requestTimeout How long one request to the service may take. Raising it holds a handler's thread for longer when the
 *     service hangs.
 */
@ConfigurationProperties("safebunny.store.cosmos")
record CosmosStoreProperties(
        @Nullable String container,
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
}
