// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Refuses documents that are too large for the service. Does not serialize small ones just to measure them. Pure. */
final class DocumentSize {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int LONGEST_ESCAPE = 6;
    private static final int ENVELOPE = 4096;

    private DocumentSize() {}

    /** @throws RecordTooLargeException above {@link CosmosMessageStore#MAX_DOCUMENT_SIZE} */
    static void requireFit(MessageRecord record, ObjectNode document) {
        requireFit(List.of(record), List.of(document), CosmosMessageStore.MAX_DOCUMENT_SIZE);
    }

    /**
     * The service accepts at most 2 MB per request.
     *
     * @throws RecordTooLargeException with the largest record, above {@link CosmosMessageStore#MAX_BATCH_SIZE} in total
     */
    static void requireFitTogether(List<MessageRecord> records, List<ObjectNode> documents) {
        requireFit(records, documents, CosmosMessageStore.MAX_BATCH_SIZE);
    }

    private static void requireFit(List<MessageRecord> records, List<ObjectNode> documents, long limit) {
        long characters = documents.stream()
                .mapToLong(document -> length(document, "steps") + length(document, "outgoing"))
                .sum();
        if (characters * LONGEST_ESCAPE + (long) ENVELOPE * documents.size() <= limit) {
            return;
        }
        long size = documents.stream().mapToLong(DocumentSize::of).sum();
        if (size > limit) {
            int largest = IntStream.range(0, documents.size())
                    .boxed()
                    .max(Comparator.comparing(index -> of(documents.get(index))))
                    .orElse(0);
            throw new RecordTooLargeException(records.get(largest).key(), size, limit);
        }
    }

    private static long length(ObjectNode document, String name) {
        return document.path(name).asText().length();
    }

    /** Bytes of JSON. */
    private static long of(ObjectNode document) {
        try {
            return MAPPER.writeValueAsBytes(document).length;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A JSON tree of strings and numbers cannot be serialized", e);
        }
    }
}
