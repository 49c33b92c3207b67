// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.CosmosItemSerializer;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchItemRequestOptions;
import com.azure.cosmos.models.CosmosBatchRequestOptions;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.cosmos.CosmosCalls.Operation;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.StoredPage;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Keeps records in one container of Azure Cosmos DB: one document per message, partitioned by correlation id. Thread-safe.
 *
 * <p>A message without retries costs one create and one replace. The service decides conflicts: of a create by the uniqueness of the id in
 * its partition (409), of a replace by the ETag (412). Both hold at every consistency level as long as only one region accepts writes.
 * Below Session consistency, a read may return an older version than this process has already seen; that costs time, but never repeats an
 * effect. The service deletes final records when their time to live has passed.
 *
 * <p>All methods block, so do not call them on a non-blocking Reactor thread. Each service call takes at most the request timeout.
 */
public final class CosmosMessageStore implements MessageStore {

    /**
     * Largest document this store writes, in bytes of JSON. The service's limit is 2 MB; the rest is room for what the service adds, and
     * for the steps of a replay.
     */
    public static final int MAX_DOCUMENT_SIZE = 1_500_000;

    /** Largest total of records written together, in bytes of JSON. */
    public static final int MAX_BATCH_SIZE = 1_900_000;

    private static final int CREATE_TRIES = 3;
    private static final int PARALLEL_REPLACES = 16;

    private final CosmosAsyncContainer container;
    private final RecordDocument documents;
    private final CosmosCalls calls;
    private final CompletedRecords completed;
    private final CosmosQueries queries;

    /**
     * @param container as opened by {@link CosmosContainers}
     * @param retention how long records in a final state are kept, rounded up to whole seconds
     * @param requestTimeout how long one call of the service may take, including the client's own retries
     * @param meters where {@code safebunny.cosmos.request.charge} is registered: the request units of each call, by {@code
     *     operation}
     */
    public CosmosMessageStore(
            CosmosAsyncContainer container, Retention retention, Duration requestTimeout, MeterRegistry meters) {
        this.container = container;
        this.documents = new RecordDocument(retention);
        this.calls = new CosmosCalls(container.getId(), requestTimeout, meters);
        this.completed = new CompletedRecords(container, calls);
        this.queries = new CosmosQueries(container, calls);
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        ObjectNode document = document(record);
        for (int i = 0; i < CREATE_TRIES; i++) {
            MessageRecord created = tryCreate(record, document);
            if (created != null) {
                return created;
            }
            MessageRecord existing = find(record.key());
            if (existing != null) {
                return existing;
            }
            // the record expired between the two calls, or is expired but not deleted yet
        }
        throw new StoreUnavailableException(
                "Cosmos DB neither creates nor returns the record of message %s [container=%s, tries=%s]: it is being deleted. SafeBunny retries later; set a longer safebunny.dedup.retention if this goes on."
                        .formatted(record.key().messageId(), container.getId(), CREATE_TRIES),
                null,
                null);
    }

    private @Nullable MessageRecord tryCreate(MessageRecord record, ObjectNode document) {
        try {
            var response = calls.run(
                    Operation.CREATE, container.createItem(document, partition(record.key()), writeOptions()));
            calls.charge(Operation.CREATE, response.getRequestCharge());
            return record.withEtag(response.getETag());
        } catch (CosmosException e) {
            if (CosmosErrors.isConflict(e)) {
                return null;
            }
            throw CosmosErrors.ofWrite(Operation.CREATE, container.getId(), record.key(), e);
        }
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        try {
            return calls.find(Operation.REPLACE, replacing(record));
        } catch (CosmosException e) {
            throw CosmosErrors.ofWrite(Operation.REPLACE, container.getId(), record.key(), e);
        }
    }

    /** {@inheritDoc} Runs up to sixteen calls at a time. */
    @Override
    public void replaceAll(List<MessageRecord> records) {
        try {
            calls.runAll(
                    Operation.REPLACE,
                    Flux.fromIterable(records)
                            .flatMapDelayError(
                                    record -> calls.limited(replacing(record))
                                            .onErrorMap(CosmosException.class, e -> refused(record.key(), e)),
                                    PARALLEL_REPLACES,
                                    PARALLEL_REPLACES));
        } catch (CosmosException e) {
            throw CosmosErrors.unavailable(Operation.REPLACE, container.getId(), e);
        }
    }

    /** Names the record if the failure concerns this record alone; the caller counts and translates other failures. */
    private Throwable refused(RecordKey key, CosmosException e) {
        if (!CosmosErrors.isTooLarge(e) && !CosmosErrors.isDocumentRefused(e)) {
            return e;
        }
        calls.charge(Operation.REPLACE, e.getRequestCharge());
        return CosmosErrors.ofWrite(Operation.REPLACE, container.getId(), key, e);
    }

    /** Replaces the record; completes empty if another version or none is stored. */
    private Mono<MessageRecord> replacing(MessageRecord record) {
        ObjectNode document = document(record);
        RecordKey key = record.key();
        return etag(record)
                .flatMap(etag -> container.replaceItem(
                        document,
                        DocumentId.of(key.messageId()),
                        partition(key),
                        writeOptions().setIfMatchETag(etag)))
                .doOnNext(response -> calls.charge(Operation.REPLACE, response.getRequestCharge()))
                .map(response -> record.withEtag(response.getETag()))
                .onErrorResume(
                        e -> CosmosErrors.isMissing(e) || CosmosErrors.isFenced(e), e -> nothing(Operation.REPLACE, e));
    }

    /** Looks the preceding version up if the record has no ETag, because it was not read from this store. */
    private Mono<String> etag(MessageRecord record) {
        String etag = record.etag();
        if (etag != null) {
            return Mono.just(etag);
        }
        return reading(record.key())
                .filter(stored -> stored.version() == record.version() - 1)
                .mapNotNull(MessageRecord::etag);
    }

    /** {@inheritDoc} Uses one transactional batch, in which each record is created, or replaced if its ETag is unchanged. */
    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        JointWrite.requireOnePartition(records);
        List<ObjectNode> documents = records.stream().map(this::document).toList();
        DocumentSize.requireFitTogether(records, documents);
        CosmosBatch batch =
                CosmosBatch.createCosmosBatch(partition(records.get(0).key()));
        for (int i = 0; i < documents.size(); i++) {
            MessageRecord record = records.get(i);
            if (JointWrite.isCreated(record)) {
                batch.createItemOperation(documents.get(i));
                continue;
            }
            String etag = knownEtag(record);
            if (etag == null) {
                return new JointWrite.Overtaken(record.key());
            }
            batch.replaceItemOperation(
                    DocumentId.of(record.key().messageId()),
                    documents.get(i),
                    new CosmosBatchItemRequestOptions().setIfMatchETag(etag));
        }
        try {
            CosmosBatchRequestOptions options =
                    new CosmosBatchRequestOptions().setCustomItemSerializer(CosmosItemSerializer.DEFAULT_SERIALIZER);
            CosmosBatchResponse answer = calls.run(Operation.BATCH, container.executeCosmosBatch(batch, options));
            calls.charge(Operation.BATCH, answer.getRequestCharge());
            return BatchAnswer.read(container.getId(), records, answer);
        } catch (CosmosException e) {
            throw CosmosErrors.ofWrite(
                    Operation.BATCH, container.getId(), records.get(0).key(), e);
        }
    }

    /** {@code null} when another version or none is stored. */
    private @Nullable String knownEtag(MessageRecord record) {
        try {
            return calls.find(Operation.READ, etag(record));
        } catch (CosmosException e) {
            throw CosmosErrors.unavailable(Operation.READ, container.getId(), e);
        }
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        try {
            return calls.find(Operation.READ, reading(key));
        } catch (CosmosException e) {
            throw CosmosErrors.unavailable(Operation.READ, container.getId(), e);
        }
    }

    private Mono<MessageRecord> reading(RecordKey key) {
        CosmosItemRequestOptions options =
                new CosmosItemRequestOptions().setCustomItemSerializer(CosmosItemSerializer.DEFAULT_SERIALIZER);
        return container
                .readItem(DocumentId.of(key.messageId()), partition(key), options, ObjectNode.class)
                .doOnNext(response -> calls.charge(Operation.READ, response.getRequestCharge()))
                .map(response -> RecordDocument.read(key, response.getItem()))
                .onErrorResume(CosmosErrors::isMissing, e -> nothing(Operation.READ, e));
    }

    private <T> Mono<T> nothing(Operation operation, Throwable answer) {
        calls.charge(operation, answer);
        return Mono.empty();
    }

    /**
     * Queries all partitions: the cost grows with the number of physical partitions and of completed records, not with the number
     * of all records. The service's timestamps are whole seconds, so a record may be found up to two seconds late, but never
     * early. Skips records that this version of SafeBunny cannot read.
     */
    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        return completed.find(unchangedFor, limit);
    }

    /**
     * Queries all partitions. The cost grows with the number of due records, or of all documents if an earlier version created the
     * container without the index for queries.
     */
    @Override
    public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        return queries.findDue(from, until, limit);
    }

    /** {@inheritDoc} Costs as {@link #findDue} does. */
    @Override
    public List<MessageRecord> findListed(ListingQuery query) {
        return queries.findListed(query);
    }

    /** {@inheritDoc} Costs as {@link #findDue} does. */
    @Override
    public long countListed(String kind, String status) {
        return queries.countListed(kind, status);
    }

    /**
     * {@inheritDoc} The cost grows with the records of this correlation id; if an earlier version created the container without an index of
     * the correlation id, possibly with those of many others. Times are in whole seconds.
     */
    @Override
    public List<DatedRecord> findCorrelated(String correlationId, int limit) {
        return queries.findCorrelated(correlationId, limit);
    }

    /**
     * {@inheritDoc} Queries all partitions by an index that each has: the cost grows with the number of physical partitions. Takes no longer
     * than the request timeout.
     */
    @Override
    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        return queries.findCorrelationIds(messageId, limit, atMost);
    }

    /** {@inheritDoc} A query of all partitions, part by part: each document costs about as much as reading it. */
    @Override
    public StoredPage<MessageRecord> findAll(@Nullable String after, int limit) {
        return queries.findAll(after, limit);
    }

    /** At session consistency, a process sees all that it has written, but not yet all that others have. */
    @Override
    public boolean readsAreDecisive() {
        return false;
    }

    @Override
    public boolean mayKeepStepsApart() {
        return false;
    }

    /** Does nothing: the service deletes expired records itself. */
    @Override
    public int removeExpired(int limit) {
        return 0;
    }

    // ---- details

    private ObjectNode document(MessageRecord record) {
        ObjectNode document = documents.write(record);
        DocumentSize.requireFit(record, document);
        return document;
    }

    private static PartitionKey partition(RecordKey key) {
        return new PartitionKey(key.correlationId());
    }

    /**
     * Requests no content in the response. Disables the client's own write retries: a retry could conflict with its own first write, whose
     * ETag we would not know.
     */
    private static CosmosItemRequestOptions writeOptions() {
        return new CosmosItemRequestOptions()
                .setContentResponseOnWriteEnabled(false)
                .setCustomItemSerializer(CosmosItemSerializer.DEFAULT_SERIALIZER)
                .setNonIdempotentWriteRetryPolicy(false, false);
    }
}
