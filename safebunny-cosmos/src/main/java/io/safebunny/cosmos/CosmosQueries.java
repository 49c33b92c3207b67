// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.CosmosItemSerializer;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.safebunny.cosmos.CosmosCalls.Operation;
import io.safebunny.message.Names;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.StoredPage;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;

/**
 * Finds companions by their listing in all partitions of a container, and records by the ids that people know. The service cannot sort by
 * paths that are not indexed; then all matches are read and sorted here, which gives the same result at a higher cost. Thread-safe.
 */
final class CosmosQueries {

    private static final Logger LOG = LoggerFactory.getLogger(CosmosQueries.class);

    private static final int BAD_REQUEST = 400;
    private static final int PAGE = 100;
    /** Largest integer that the service stores exactly: its numbers have 53 bits. */
    private static final long LARGEST = (1L << 53) - 1;

    private static final Comparator<MessageRecord> EARLIEST_FIRST = Comparator.comparing(
            record -> Objects.requireNonNull(listing(record).dueAt()));
    private static final Comparator<MessageRecord> OLDEST_FIRST =
            Comparator.comparing(record -> listing(record).createdAt());

    private final CosmosAsyncContainer container;
    private final CosmosCalls calls;
    private final AtomicBoolean warned = new AtomicBoolean();
    private final AtomicBoolean warnedOfUnreadable = new AtomicBoolean();

    CosmosQueries(CosmosAsyncContainer container, CosmosCalls calls) {
        this.container = container;
        this.calls = calls;
    }

    private static Listing listing(MessageRecord found) {
        return Objects.requireNonNull(found.listing(), "the query finds only records with a listing");
    }

    List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        Condition condition = new Condition()
                .and("c.listing.due >= @from", "@from", ceiling(from))
                .and("c.listing.due <= @until", "@until", until.toEpochMilli());
        return find(condition, "c.listing.due", EARLIEST_FIRST, limit);
    }

    List<MessageRecord> findListed(ListingQuery query) {
        Condition condition = new Condition()
                .and("c.listing.kind = @kind", "@kind", query.kind())
                .and("c.listing.status = @status", "@status", query.status());
        Instant from = query.createdFrom();
        if (from != null) {
            condition.and("c.listing.since >= @from", "@from", ceiling(from));
        }
        Instant before = query.createdBefore();
        condition.and("c.listing.since < @before", "@before", before == null ? LARGEST : ceiling(before));
        return find(condition, "c.listing.since", OLDEST_FIRST, query.limit());
    }

    /** Rounds up to whole milliseconds, because stored times are rounded down. */
    private static long ceiling(Instant time) {
        return time.minusNanos(1).toEpochMilli() + 1;
    }

    long countListed(String kind, String status) {
        Condition condition = new Condition()
                .and("c.listing.kind = @kind", "@kind", kind)
                .and("c.listing.status = @status", "@status", status);
        SqlQuerySpec query =
                new SqlQuerySpec("SELECT VALUE COUNT(1) FROM c WHERE " + condition.text(), condition.parameters);
        try {
            return calls
                    .run(
                            Operation.QUERY,
                            pages(query, JsonNode.class).map(JsonNode::asLong).collectList())
                    .stream()
                    .mapToLong(Long::longValue)
                    .sum();
        } catch (CosmosException e) {
            throw CosmosErrors.unavailable(Operation.QUERY, container.getId(), e);
        }
    }

    /** Records of one partition; if there are more, the service chooses which. Ends with those that {@link DatedRecord#holdMuch}. */
    List<DatedRecord> findCorrelated(String correlationId, int limit) {
        if (!Names.isMessageId(correlationId)) {
            return List.of();
        }
        Condition condition = new Condition()
                .and("c.correlationId = @correlation", "@correlation", correlationId)
                .and("c.format <= @format", "@format", RecordDocument.FORMAT);
        List<DatedRecord> found = new ArrayList<>();
        var reading = pages(
                        new SqlQuerySpec("SELECT * FROM c WHERE " + condition.text(), condition.parameters),
                        ObjectNode.class,
                        new CosmosQueryRequestOptions().setPartitionKey(new PartitionKey(correlationId)),
                        Math.min(limit, PAGE))
                .flatMapIterable(document -> dated(document).toList())
                .take(limit)
                .doOnNext(found::add)
                .takeUntil(record -> DatedRecord.holdMuch(found))
                .collectList();
        return calls.search("correlation_id=" + correlationId, "Ask", null, reading).stream()
                .sorted(DatedRecord.SHARED_FIRST)
                .toList();
    }

    List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        if (!Names.isMessageId(messageId)) {
            return List.of();
        }
        Condition condition = new Condition().and("c.id = @id", "@id", DocumentId.of(messageId));
        var reading = pages(
                        new SqlQuerySpec(
                                "SELECT c.correlationId FROM c WHERE " + condition.text(), condition.parameters),
                        ObjectNode.class,
                        new CosmosQueryRequestOptions(),
                        Math.min(limit, PAGE))
                .map(document -> document.path("correlationId").asText())
                .take(limit)
                .collectSortedList();
        return calls.search("message_id=" + messageId, "Search by the correlation id, or ask", atMost, reading);
    }

    /** @param after the service's own token of the part before; {@code null} for the first */
    StoredPage<MessageRecord> findAll(@Nullable String after, int limit) {
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions()
                .setCustomItemSerializer(CosmosItemSerializer.DEFAULT_SERIALIZER)
                .setMaxDegreeOfParallelism(0); // one partition after the other: nobody waits, and traffic has the units
        var reading = container
                .queryItems(new SqlQuerySpec("SELECT * FROM c"), options, ObjectNode.class)
                .byPage(after, Math.min(limit, PAGE))
                .doOnNext(answer -> calls.charge(Operation.QUERY, answer.getRequestCharge()))
                .take(1)
                .map(CosmosQueries::page)
                .single(new StoredPage<>(List.of(), 0, null));
        return calls.search("documents=all", "Ask", null, reading);
    }

    private static StoredPage<MessageRecord> page(FeedResponse<ObjectNode> answer) {
        List<MessageRecord> found = new ArrayList<>();
        int unreadable = 0;
        for (ObjectNode document : answer.getResults()) {
            try {
                found.add(RecordDocument.read(RecordDocument.keyOf(document), document));
            } catch (UnreadableRecordException e) {
                unreadable++;
            }
        }
        return new StoredPage<>(found, unreadable, answer.getContinuationToken());
    }

    /** Without steps that are kept apart, which this store does not write. */
    private Stream<DatedRecord> dated(ObjectNode document) {
        RecordKey key = RecordDocument.keyOf(document);
        if (key.isApart()) {
            return Stream.empty();
        }
        try {
            Instant changedAt = Instant.ofEpochSecond(document.path("_ts").asLong());
            return Stream.of(new DatedRecord(RecordDocument.read(key, document), changedAt));
        } catch (UnreadableRecordException e) {
            if (warnedOfUnreadable.compareAndSet(false, true)) {
                LOG.warn(
                        "A search left out a record that this version cannot read: {} This is logged once.",
                        e.getMessage());
            }
            return Stream.empty();
        }
    }

    private static final class Condition {

        private final List<String> conditions = new ArrayList<>();
        private final List<SqlParameter> parameters = new ArrayList<>();

        Condition and(String condition, String parameter, Object value) {
            conditions.add(condition);
            parameters.add(new SqlParameter(parameter, value));
            return this;
        }

        String text() {
            return String.join(" AND ", conditions);
        }
    }

    private List<MessageRecord> find(Condition condition, String path, Comparator<MessageRecord> order, int limit) {
        String all = "SELECT * FROM c WHERE " + condition.text();
        try {
            return calls.run(
                    Operation.QUERY,
                    found(new SqlQuerySpec(all + " ORDER BY " + path, condition.parameters))
                            .take(limit)
                            .collectList());
        } catch (CosmosException e) {
            if (e.getStatusCode() != BAD_REQUEST) {
                throw CosmosErrors.unavailable(Operation.QUERY, container.getId(), e);
            }
        }
        if (warned.compareAndSet(false, true)) {
            LOG.warn(
                    "Every query for sagas reads all documents of the container, because its indexing policy lacks their paths [container={}]. Add them at any time, as described in docs/cosmos.md",
                    container.getId());
        }
        return findAndSort(new SqlQuerySpec(all, condition.parameters), order, limit);
    }

    /** Keeps at most {@code limit} records in memory. */
    private List<MessageRecord> findAndSort(SqlQuerySpec query, Comparator<MessageRecord> order, int limit) {
        try {
            return calls.run(
                    Operation.QUERY,
                    found(query)
                            .collect(() -> new PriorityQueue<>(order.reversed()), (first, record) -> {
                                first.add(record);
                                if (first.size() > limit) {
                                    first.remove();
                                }
                            })
                            .map(first -> first.stream().sorted(order).toList()));
        } catch (CosmosException e) {
            throw CosmosErrors.unavailable(Operation.QUERY, container.getId(), e);
        }
    }

    private Flux<MessageRecord> found(SqlQuerySpec query) {
        return pages(query, ObjectNode.class)
                .flatMapIterable(document -> readable(document).toList());
    }

    private <T> Flux<T> pages(SqlQuerySpec query, Class<T> type) {
        return pages(query, type, new CosmosQueryRequestOptions(), PAGE);
    }

    private <T> Flux<T> pages(SqlQuerySpec query, Class<T> type, CosmosQueryRequestOptions asked, int page) {
        CosmosQueryRequestOptions options = asked.setCustomItemSerializer(CosmosItemSerializer.DEFAULT_SERIALIZER)
                .setScanInQueryEnabled(true); // otherwise the service refuses conditions on paths that are not indexed
        return container
                .queryItems(query, options, type)
                .byPage(page)
                .doOnNext(answer -> calls.charge(Operation.QUERY, answer.getRequestCharge()))
                .concatMapIterable(answer -> answer.getResults());
    }

    private static Stream<MessageRecord> readable(ObjectNode document) {
        try {
            return Stream.of(RecordDocument.read(RecordDocument.keyOf(document), document));
        } catch (UnreadableRecordException e) {
            LOG.warn("Skipping a companion that a newer version wrote and will handle: {}", e.getMessage());
            return Stream.empty();
        }
    }
}
