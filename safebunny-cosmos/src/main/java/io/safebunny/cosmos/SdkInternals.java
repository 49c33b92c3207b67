// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosBridgeInternal;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.implementation.ImplementationBridgeHelpers.CosmosClientHelper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads values for which the Cosmos DB client has no public API. The only class that uses the client's internal packages. */
final class SdkInternals {

    private static final Logger LOG = LoggerFactory.getLogger(SdkInternals.class);

    private SdkInternals() {}

    /** The asynchronous client that the blocking one wraps. */
    static CosmosAsyncClient asyncClient(CosmosClient client) {
        return CosmosClientHelper.getCosmosClientAccessor().getCosmosAsyncClient(client);
    }

    /**
     * The account's setting, as the client read it when it was built or later; {@code null} if this version of the client does not expose
     * it.
     */
    static @Nullable Boolean acceptsWritesInSeveralRegions(CosmosAsyncClient client) {
        try {
            var account = CosmosBridgeInternal.getAsyncDocumentClient(client)
                    .getGlobalEndpointManager()
                    .getLatestDatabaseAccount();
            return account == null ? null : account.getEnableMultipleWriteLocations();
        } catch (LinkageError e) {
            LOG.debug("The internals of this version of the client are different", e);
            return null;
        }
    }
}
