// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.spring.data.cosmos.core.mapping.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import org.springframework.data.annotation.Id;

/**
 * A document as Spring Data sees it: only the id and the partition key; {@link RecordDocument} interprets the rest. Not annotated with
 * {@code @Container}, so that no repository creates a container for it.
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

    /** Seconds since 1970 by the service's clock. */
    long changedAt() {
        return document.path("_ts").asLong();
    }

    /** @throws UnreadableRecordException if this version of the library cannot read it */
    MessageRecord record() {
        return RecordDocument.read(RecordDocument.keyOf(document), document);
    }

    @Override
    public String toString() {
        return "RecordItem[" + id + " of " + correlationId + "]";
    }
}
