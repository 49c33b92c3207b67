// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.ThroughputProperties;
import io.safebunny.failure.ConfigurationException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/** Opens a node's container; creates it if it is missing, and rejects one in which records would be lost or duplicated. Blocks. */
public final class CosmosContainers {

    private static final Logger LOG = LoggerFactory.getLogger(CosmosContainers.class);
    private static final String PAGE = "See docs/cosmos.md.";

    private CosmosContainers() {}

    /** Like {@link #open(CosmosAsyncClient, CosmosContainerOptions)}. */
    public static CosmosAsyncContainer open(CosmosClient client, CosmosContainerOptions options) {
        return open(SdkInternals.asyncClient(client), options);
    }

    /**
     * Checks the account and the container; creates the container and its database if they are missing and that is allowed. Safe
     * to repeat, and for several instances at once.
     *
     * @throws ConfigurationException SB-1411 when the container has the wrong settings, SB-1412 when it is missing and may not be
     *     created, SB-1413 when several regions accept writes, SB-1414 when the account does not answer
     */
    public static CosmosAsyncContainer open(CosmosAsyncClient client, CosmosContainerOptions options) {
        try {
            refuseMultipleWriteRegions(client, options);
            CosmosAsyncContainer container =
                    client.getDatabase(options.database()).getContainer(options.container());
            CosmosContainerProperties found = readOrCreate(client, container, options);
            verify(found, options);
            return container;
        } catch (RuntimeException e) {
            throw explained(e, options);
        }
    }

    private static RuntimeException explained(RuntimeException thrown, CosmosContainerOptions options) {
        Throwable failure = Exceptions.unwrap(thrown);
        if (failure instanceof ConfigurationException ours) {
            return ours;
        }
        if (failure instanceof CosmosException answer && CosmosErrors.isRefused(answer)) {
            return new ConfigurationException(
                    "SB-1412",
                    "The Cosmos DB account refuses to show or create the container [database=%s, container=%s, status=%s, sub-status=%s]: the credentials do not permit it."
                            .formatted(
                                    options.database(),
                                    options.container(),
                                    answer.getStatusCode(),
                                    answer.getSubStatusCode()),
                    "Check key or role, and the account's firewall; with a data role alone, create the container beforehand. "
                            + PAGE,
                    failure);
        }
        String status = failure instanceof CosmosException answer
                ? "status " + answer.getStatusCode() + "/" + answer.getSubStatusCode()
                : failure.getClass().getSimpleName();
        return new ConfigurationException(
                "SB-1414",
                "The Cosmos DB account could not be reached or failed [database=%s, container=%s]: %s."
                        .formatted(options.database(), options.container(), status),
                "Check spring.cloud.azure.cosmos.endpoint and the network; if the account is throttled, start again later. "
                        + PAGE,
                failure);
    }

    // ---- the account

    private static void refuseMultipleWriteRegions(CosmosAsyncClient client, CosmosContainerOptions options) {
        Boolean multiple = SdkInternals.acceptsWritesInSeveralRegions(client);
        if (multiple == null) {
            LOG.warn(
                    "Cannot find out whether the Cosmos DB account accepts writes in several regions: make sure that it"
                            + " does not, or messages are handled twice");
        } else if (multiple && options.acceptMultipleWriteRegions()) {
            LOG.warn("The Cosmos DB account accepts writes in several regions"
                    + " [safebunny.store.cosmos.accept-multiple-write-regions=true]: a message that is delivered in two"
                    + " of them is handled twice");
        } else if (multiple) {
            throw new ConfigurationException(
                    "SB-1413",
                    "The Cosmos DB account accepts writes in several regions: two instances could claim one message, one in each.",
                    "Use an account with a single write region. If all instances of this node write to the same region, set"
                            + " safebunny.store.cosmos.accept-multiple-write-regions=true. " + PAGE);
        }
    }

    // ---- the container

    private static CosmosContainerProperties readOrCreate(
            CosmosAsyncClient client, CosmosAsyncContainer container, CosmosContainerOptions options) {
        try {
            return await(container.read().block()).getProperties();
        } catch (CosmosException e) {
            if (!CosmosErrors.isNotFound(e)) {
                throw e;
            }
            if (!options.create()) {
                throw new ConfigurationException(
                        "SB-1412",
                        "The Cosmos DB container is missing [database=%s, container=%s] and may not be created."
                                .formatted(options.database(), options.container()),
                        "Create it, or set safebunny.store.cosmos.create-container=true. " + PAGE,
                        e);
            }
        }
        return create(client, options);
    }

    private static CosmosContainerProperties create(CosmosAsyncClient client, CosmosContainerOptions options) {
        LOG.info(
                "Creating the Cosmos DB container [database={}, container={}, autoscale-max-throughput={}]",
                options.database(),
                options.container(),
                options.autoscaleMaxThroughput());
        createUnlessThere(client.createDatabase(options.database()));
        CosmosAsyncDatabase database = client.getDatabase(options.database());
        CosmosContainerProperties properties = ContainerSettings.create(options.container());
        createUnlessThere(
                options.autoscaleMaxThroughput() == 0
                        ? database.createContainer(properties)
                        : database.createContainer(
                                properties,
                                ThroughputProperties.createAutoscaledThroughput(options.autoscaleMaxThroughput())));
        return await(database.getContainer(options.container()).read().block()).getProperties();
    }

    /** Creates without checking first, because instances that start at the same time would all find nothing. */
    private static void createUnlessThere(Mono<?> creation) {
        try {
            await(creation.block());
        } catch (CosmosException e) {
            if (!CosmosErrors.isConflict(e)) {
                throw e;
            }
        }
    }

    private static <T> T await(@Nullable T answer) {
        if (answer == null) {
            throw new ConfigurationException(
                    "SB-1414",
                    "The Cosmos DB client returned nothing for the container.",
                    "Start again; if this goes on, check the versions of the Azure libraries. " + PAGE);
        }
        return answer;
    }

    private static void verify(CosmosContainerProperties found, CosmosContainerOptions options) {
        List<String> faults = ContainerSettings.faults(found);
        if (!faults.isEmpty()) {
            throw new ConfigurationException(
                    "SB-1411",
                    "The Cosmos DB container has the wrong settings [database=%s, container=%s]: %s."
                            .formatted(options.database(), options.container(), String.join("; ", faults)),
                    "Correct them, or use another container with safebunny.store.cosmos.container. A partition key cannot be"
                            + " changed; the other settings can, at any time. " + PAGE);
        }
    }
}
