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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings a container needs: partitioned by correlation id, time to live enabled, and indexes only for what is queried. */
final class ContainerSettings {

    private static final String PARTITION_KEY = "/correlationId";
    private static final int ON_WITHOUT_DEFAULT = -1;
    private static final List<String> SWEPT = List.of("/state", "/_ts");
    /**
     * Only documents of companions have these paths. Containers created by earlier versions lack this index; their queries only take
     * longer.
     */
    private static final List<String> LISTED =
            List.of("/listing/kind", "/listing/status", "/listing/since", "/listing/due");

    /** The service indexes a partition key only if told to. Without it, a search reads more than the records of its correlation id. */
    private static final List<String> SEARCHED = List.of(PARTITION_KEY);

    private ContainerSettings() {}

    static CosmosContainerProperties create(String name) {
        return new CosmosContainerProperties(name, PARTITION_KEY)
                .setDefaultTimeToLiveInSeconds(ON_WITHOUT_DEFAULT)
                .setIndexingPolicy(indexing());
    }

    private static IndexingPolicy indexing() {
        return new IndexingPolicy()
                .setIncludedPaths(Stream.of(SWEPT, LISTED, SEARCHED)
                        .flatMap(List::stream)
                        .map(path -> new IncludedPath(path + "/?"))
                        .toList())
                .setExcludedPaths(List.of(new ExcludedPath("/*")))
                .setCompositeIndexes(List.of(SWEPT.stream()
                        .map(path -> new CompositePath().setPath(path))
                        .toList()));
    }

    /** Describes what is wrong; empty if the container can be used. */
    static List<String> faults(CosmosContainerProperties found) {
        List<String> faults = new ArrayList<>();
        List<String> paths = found.getPartitionKeyDefinition().getPaths();
        if (!paths.equals(List.of(PARTITION_KEY))) {
            faults.add("its partition key is %s and must be %s".formatted(String.join(",", paths), PARTITION_KEY));
        }
        Integer timeToLive = found.getDefaultTimeToLiveInSeconds();
        if (timeToLive == null) {
            faults.add(
                    "its time to live is off, so no record would ever be removed; it must be on, without a default (-1)");
        } else if (timeToLive != ON_WITHOUT_DEFAULT) {
            faults.add(
                    "its default time to live is %s s, so unfinished records would be lost; it must be on, without a default (-1)"
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
