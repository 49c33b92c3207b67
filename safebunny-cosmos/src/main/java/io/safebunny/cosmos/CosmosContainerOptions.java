// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;

/**
 * The container in which a node keeps its records. Immutable.
 *
 * @param database name of the database
 * @param container name of the container, one per consuming node
 * @param create whether database and container may be created
 * @param autoscaleMaxThroughput request units per second up to which a created container scales, a multiple of 1000; 0 for
 *     serverless accounts and databases with shared throughput
 * @param acceptMultipleWriteRegions whether to start although the account accepts writes in several regions, where two instances
 *     could claim the same message
 */
public record CosmosContainerOptions(
        String database,
        String container,
        boolean create,
        int autoscaleMaxThroughput,
        boolean acceptMultipleWriteRegions) {

    private static final int UNIT = 1000;

    /** @throws ConfigurationException SB-1301 when a name is not legal or the throughput is not a multiple of 1000 */
    public CosmosContainerOptions {
        requireName("spring.cloud.azure.cosmos.database", database);
        requireName("safebunny.store.cosmos.container", container);
        if (autoscaleMaxThroughput < 0 || autoscaleMaxThroughput % UNIT != 0) {
            throw InvalidProperty.of(
                    "safebunny.store.cosmos.autoscale-max-throughput",
                    autoscaleMaxThroughput,
                    "it must be 0, 1000 or a multiple of 1000",
                    "Set safebunny.store.cosmos.autoscale-max-throughput=1000, or 0 for a serverless account.");
        }
    }

    private static void requireName(String property, String name) {
        if (!name.matches("[^/\\\\#?\\p{Cntrl}]{1,255}") || !name.equals(name.strip())) {
            throw InvalidProperty.of(
                    property,
                    name,
                    "a name has 1 to 255 characters, none of / \\ # ? and no leading or trailing blanks",
                    "Set %s to such a name.".formatted(property));
        }
    }
}
