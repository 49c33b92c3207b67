// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.models.CompositePath;
import com.azure.cosmos.models.CompositePathSortOrder;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.ExcludedPath;
import com.azure.cosmos.models.IncludedPath;
import com.azure.cosmos.models.IndexingPolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a container must be like: partitioned by correlation id, able to forget, and with an index for the sweeper only. */
final class ContainerSettings {

    private static final String PARTITION_KEY = "/correlationId";
    private static final int ON_WITHOUT_DEFAULT = -1;
    private static final List<String> SWEPT = List.of("/state", "/_ts");

    private ContainerSettings() {}

    static CosmosContainerProperties create(String name) {
        return new CosmosContainerProperties(name, PARTITION_KEY)
                .setDefaultTimeToLiveInSeconds(ON_WITHOUT_DEFAULT)
                .setIndexingPolicy(indexing());
    }

    private static IndexingPolicy indexing() {
        return new IndexingPolicy()
                .setIncludedPaths(SWEPT.stream()
                        .map(path -> new IncludedPath(path + "/?"))
                        .toList())
                .setExcludedPaths(List.of(new ExcludedPath("/*")))
                .setCompositeIndexes(List.of(SWEPT.stream()
                        .map(path -> new CompositePath().setPath(path))
                        .toList()));
    }

    /** What is wrong, ready to be joined; empty when it can be used. */
    static List<String> faults(CosmosContainerProperties found) {
        List<String> faults = new ArrayList<>();
        List<String> paths = found.getPartitionKeyDefinition().getPaths();
        if (!paths.equals(List.of(PARTITION_KEY))) {
            faults.add("its partition key is %s and must be %s".formatted(String.join(",", paths), PARTITION_KEY));
        }
        Integer timeToLive = found.getDefaultTimeToLiveInSeconds();
        if (timeToLive == null) {
            faults.add(
                    "its time to live is off, so that nothing would ever be forgotten; it must be on, without a default (-1)");
        } else if (timeToLive != ON_WITHOUT_DEFAULT) {
            faults.add(
                    "its default time to live is %d s, so that unfinished records would be lost; it must be on, without a default (-1)"
                            .formatted(timeToLive));
        }
        if (!hasCompositeIndex(found.getIndexingPolicy())) {
            faults.add("it has no composite index of /state and /_ts, both ascending");
        }
        return faults;
    }

    private static boolean hasCompositeIndex(@Nullable IndexingPolicy policy) {
        return policy != null && policy.getCompositeIndexes().stream().anyMatch(ContainerSettings::servesTheSweeper);
    }

    private static boolean servesTheSweeper(List<CompositePath> index) {
        return index.stream().map(CompositePath::getPath).toList().equals(SWEPT)
                && index.stream().noneMatch(path -> path.getOrder() == CompositePathSortOrder.DESCENDING);
    }
}
