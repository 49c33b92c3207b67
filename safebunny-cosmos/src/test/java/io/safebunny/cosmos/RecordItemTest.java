// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import com.azure.spring.data.cosmos.repository.support.CosmosEntityInformation;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** What Spring Data makes of a record. */
class RecordItemTest {

    /** Without it, the service would look through every partition. */
    @Test
    void theQueryOfACorrelationIdNamesThePartition() {
        assertThat(CosmosRecords.query("customer:42").getPartitionKeyValue(RecordItem.class))
                .contains("customer:42");
    }

    @Test
    void thePartitionIsTheOneOfTheContainer() {
        assertThat(new CosmosEntityInformation<>(RecordItem.class).getPartitionKeyPath())
                .isEqualTo(ContainerSettings.create("any")
                        .getPartitionKeyDefinition()
                        .getPaths()
                        .get(0));
    }

    @Test
    void showsItsIdsAndNothingElse() {
        RecordItem item = new RecordItem(new ObjectMapper()
                .createObjectNode()
                .put("id", "1")
                .put("correlationId", "customer:42")
                .put("steps", "secret"));

        assertThat(item).hasToString("RecordItem[1 of customer:42]");
    }
}
