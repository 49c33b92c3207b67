// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.spring.data.cosmos.core.mapping.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.UnreadableRecordException;
import org.springframework.data.annotation.Id;

/**
 * A document as Spring Data has to see it, which is: where the partition key is. Everything else is {@link RecordDocument}'s
 * business. Without {@code @Container}, so that no repository can take it for something to create a container for.
 */
final class RecordItem {

    static final String PARTITION = "correlationId";

    @Id
    private final String id;

    @PartitionKey
    private final String correlationId;

    private final ObjectNode document;

    RecordItem(ObjectNode document) {
        this.id = document.path("id").asText();
        this.correlationId = document.path(PARTITION).asText();
        this.document = document;
    }

    /** In seconds since 1970 by the service's clock. */
    long changedAt() {
        return document.path("_ts").asLong();
    }

    /** @throws UnreadableRecordException when this version of the library does not understand it */
    MessageRecord record() {
        return RecordDocument.read(RecordDocument.keyOf(document), document);
    }

    @Override
    public String toString() {
        return "RecordItem[" + id + " of " + correlationId + "]";
    }
}
