// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosBridgeInternal;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.implementation.ImplementationBridgeHelpers.CosmosClientHelper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The two things that the client of Cosmos DB knows and does not publish; the only place that uses its internal packages. */
final class SdkInternals {

    private static final Logger LOG = LoggerFactory.getLogger(SdkInternals.class);

    private SdkInternals() {}

    /** The client that the blocking one wraps. */
    static CosmosAsyncClient asyncClient(CosmosClient client) {
        return CosmosClientHelper.getCosmosClientAccessor().getCosmosAsyncClient(client);
    }

    /** What the account said when the client last asked, which it does when it is built; {@code null} when this version of the client does not tell. */
    static @Nullable Boolean acceptsWritesInSeveralRegions(CosmosAsyncClient client) {
        try {
            var account = CosmosBridgeInternal.getAsyncDocumentClient(client)
                    .getGlobalEndpointManager()
                    .getLatestDatabaseAccount();
            return account == null ? null : account.getEnableMultipleWriteLocations();
        } catch (LinkageError e) {
            LOG.debug("This version of the client has other internals", e);
            return null;
        }
    }
}
