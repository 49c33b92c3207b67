// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import io.safebunny.cosmos.CosmosRecords;
import io.safebunny.store.record.MessageRecord;
import java.util.List;

/** The listing of the guide to Cosmos DB. */
final class RecordsOfCorrelation {

    private RecordsOfCorrelation() {}

    static List<MessageRecord> show(CosmosRecords cosmosRecords) {
        List<MessageRecord> records = cosmosRecords.ofCorrelation("customer:42");
        return records;
    }
}
