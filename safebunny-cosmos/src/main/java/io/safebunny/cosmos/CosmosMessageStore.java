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
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.cosmos.CosmosCalls.Operation;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.Retention;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Keeps records in one container of Azure Cosmos DB: one document per message, partitioned by correlation id. Thread-safe.
 *
 * <p>A message without retries costs one create and one replace. The service decides conflicts: of a create by the uniqueness of the id in
 * its partition (409), of a replace by the ETag (412). That is sound at every consistency level as long as only one region accepts writes.
 * Below Session consistency a read may be older than what this process has already seen, which costs time but never repeats an effect. The
 * service deletes final records when their time to live has passed.
 *
 * <p>All methods block, so do not call them on a non-blocking Reactor thread. Each service call takes at most the request timeout.
 */
public final class CosmosMessageStore implements MessageStore {

    /**
     * Largest document this store writes, in bytes of JSON. The service's limit is 2 MB; the difference leaves room for what the
     * service adds, and for the steps of a replay.
     */
    public static final int MAX_DOCUMENT_SIZE = 1_500_000;

    /** Largest total of records written together, in bytes of JSON. */
    public static final int MAX_BATCH_SIZE = 1_900_000;

    private static final Logger LOG = LoggerFactory.getLogger(CosmosMessageStore.class);
    private static final int CREATE_TRIES = 3;
    private static final int PARALLEL_REPLACES = 16;
    private static final int PAGE = 100;
    private static final String COMPLETED =
            "SELECT * FROM c WHERE c.state = 'COMPLETED' AND c._ts <= @before ORDER BY c.state, c._ts";

    private final CosmosAsyncContainer container;
    private final RecordDocument documents;
    private final CosmosCalls calls;
    private final CosmosListings listings;

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
        this.listings = new CosmosListings(container, calls);
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
            // it expired between the two calls, or is expired but not deleted yet
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
            return calls.run(Operation.REPLACE, replacing(record)).orElse(null);
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

    /** Names the record if the failure concerns only that one; other failures are counted and translated by the caller. */
    private Throwable refused(RecordKey key, CosmosException e) {
        if (!CosmosErrors.isTooLarge(e) && !CosmosErrors.isDocumentRefused(e)) {
            return e;
        }
        calls.charge(Operation.REPLACE, e.getRequestCharge());
        return CosmosErrors.ofWrite(Operation.REPLACE, container.getId(), key, e);
    }

    /** Empty if another version or none is stored. */
    private Mono<Optional<MessageRecord>> replacing(MessageRecord record) {
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
                .onErrorResume(CosmosErrors::isMissing, e -> nothing(Operation.REPLACE, e))
                .onErrorResume(CosmosErrors::isFenced, e -> nothing(Operation.REPLACE, e))
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty());
    }

    /** A record that was not read from this store has no ETag; then the preceding version is looked up. */
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
        requireFitTogether(records, documents);
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

    /** The service accepts at most 2 MB per request. */
    private static void requireFitTogether(List<MessageRecord> records, List<ObjectNode> documents) {
        long size = RecordDocument.sizeIfLarge(documents, MAX_BATCH_SIZE);
        if (size > MAX_BATCH_SIZE) {
            int largest = IntStream.range(0, documents.size())
                    .boxed()
                    .max(Comparator.comparing(index -> RecordDocument.size(documents.get(index))))
                    .orElse(0);
            throw new RecordTooLargeException(records.get(largest).key(), size, MAX_BATCH_SIZE);
        }
    }

    /** {@code null} when another version or none is stored. */
    private @Nullable String knownEtag(MessageRecord record) {
        try {
            return calls.run(Operation.READ, etag(record).map(Optional::of).defaultIfEmpty(Optional.empty()))
                    .orElse(null);
        } catch (CosmosException e) {
            throw CosmosErrors.unavailable(Operation.READ, container.getId(), e);
        }
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        try {
            return calls.run(Operation.READ, reading(key).map(Optional::of).defaultIfEmpty(Optional.empty()))
                    .orElse(null);
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
        try {
            long before = serviceTime() - wholeSeconds(unchangedFor);
            SqlQuerySpec query = new SqlQuerySpec(COMPLETED, new SqlParameter("@before", before));
            CosmosQueryRequestOptions options =
                    new CosmosQueryRequestOptions().setCustomItemSerializer(CosmosItemSerializer.DEFAULT_SERIALIZER);
            List<ObjectNode> found = calls.run(
                    Operation.QUERY,
                    container
                            .queryItems(query, options, ObjectNode.class)
                            .byPage(Math.min(limit, PAGE))
                            .doOnNext(page -> calls.charge(Operation.QUERY, page.getRequestCharge()))
                            .concatMapIterable(page -> page.getResults())
                            .take(limit)
                            .collectList());
            return found.stream().flatMap(this::readable).toList();
        } catch (CosmosException e) {
            throw CosmosErrors.unavailable(Operation.QUERY, container.getId(), e);
        }
    }

    /**
     * Rounds up and adds a second, because timestamp {@code n} stands for a change at any time between {@code n} and {@code n +
     * 1}.
     */
    private static long wholeSeconds(Duration unchangedFor) {
        return unchangedFor.isZero() ? 0 : unchangedFor.plusNanos(999_999_999).toSeconds() + 1;
    }

    /**
     * Epoch seconds of the service's clock, from the Date header of a container read: in both connection modes the gateway
     * answers it, at no cost to the throughput.
     */
    private long serviceTime() {
        var headers = calls.run(Operation.QUERY, container.read()).getResponseHeaders();
        String date = headers.entrySet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase("date"))
                .map(header -> header.getValue())
                .findFirst()
                .orElse("");
        try {
            return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toEpochSecond();
        } catch (DateTimeParseException e) {
            throw new StoreUnavailableException(
                    "Cosmos DB's time is unknown [container=%s]: its response has no valid Date header. SafeBunny retries later; check proxies in between."
                            .formatted(container.getId()),
                    null,
                    e);
        }
    }

    private Stream<MessageRecord> readable(ObjectNode document) {
        try {
            return Stream.of(RecordDocument.read(RecordDocument.keyOf(document), document));
        } catch (UnreadableRecordException e) {
            LOG.warn("Skipping a completed record that a newer version wrote and will dispatch: {}", e.getMessage());
            return Stream.empty();
        }
    }

    /**
     * Queries all partitions. The cost grows with the number of due records, or of all documents if an earlier version created the
     * container without the index for listings.
     */
    @Override
    public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        return listings.findDue(from, until, limit);
    }

    /** {@inheritDoc} Costs as {@link #findDue} does. */
    @Override
    public List<MessageRecord> findListed(ListingQuery query) {
        return listings.findListed(query);
    }

    /** {@inheritDoc} Costs as {@link #findDue} does. */
    @Override
    public long countListed(String kind, String status) {
        return listings.countListed(kind, status);
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
        long size = RecordDocument.sizeIfLarge(document, MAX_DOCUMENT_SIZE);
        if (size > MAX_DOCUMENT_SIZE) {
            throw new RecordTooLargeException(record.key(), size, MAX_DOCUMENT_SIZE);
        }
        return document;
    }

    private static PartitionKey partition(RecordKey key) {
        return new PartitionKey(key.correlationId());
    }

    /**
     * Requests no content in the response, and disables the client's own write retries: after one, a conflict could be with our own first
     * write, whose ETag we would not know.
     */
    private static CosmosItemRequestOptions writeOptions() {
        return new CosmosItemRequestOptions()
                .setContentResponseOnWriteEnabled(false)
                .setCustomItemSerializer(CosmosItemSerializer.DEFAULT_SERIALIZER)
                .setNonIdempotentWriteRetryPolicy(false, false);
    }
}
