// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.CosmosItemSerializer;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.safebunny.cosmos.CosmosCalls.Operation;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds records of completed messages by their age, which is compared by the service's clock. Thread-safe. */
final class CompletedRecords {

    private static final Logger LOG = LoggerFactory.getLogger(CompletedRecords.class);

    private static final int PAGE = 100;
    private static final String QUERY =
            "SELECT * FROM c WHERE c.state = 'COMPLETED' AND c._ts <= @before ORDER BY c.state, c._ts";

    private final CosmosAsyncContainer container;
    private final CosmosCalls calls;

    CompletedRecords(CosmosAsyncContainer container, CosmosCalls calls) {
        this.container = container;
        this.calls = calls;
    }

    List<MessageRecord> find(Duration unchangedFor, int limit) {
        try {
            long before = serviceTime() - wholeSeconds(unchangedFor);
            SqlQuerySpec query = new SqlQuerySpec(QUERY, new SqlParameter("@before", before));
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
            return found.stream().flatMap(CompletedRecords::readable).toList();
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
     * The service's clock in epoch seconds, from the Date header of a container read. In both connection modes the gateway answers such a
     * read, so it uses none of the container's throughput.
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

    private static Stream<MessageRecord> readable(ObjectNode document) {
        try {
            return Stream.of(RecordDocument.read(RecordDocument.keyOf(document), document));
        } catch (UnreadableRecordException e) {
            LOG.warn("Skipping a completed record that a newer version wrote and will dispatch: {}", e.getMessage());
            return Stream.empty();
        }
    }
}
