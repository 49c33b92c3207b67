// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosException;
import com.azure.spring.data.cosmos.core.query.CosmosQuery;
import com.azure.spring.data.cosmos.core.query.Criteria;
import com.azure.spring.data.cosmos.core.query.CriteriaType;
import com.azure.spring.data.cosmos.exception.CosmosAccessException;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.cosmos.CosmosCalls.Operation;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.repository.query.parser.Part;

/**
 * Reads the records of a correlation id from a node's container, for diagnostics. Only {@link CosmosMessageStore} writes them. Thread-safe.
 *
 * <p>Uses Spring Data's template. Neither checks nor creates the container, and calls the service only when used. A record may be older
 * than what this process has written, depending on the account's consistency level.
 */
public final class CosmosRecords {

    /** Maximum number of records returned by default. */
    public static final int DEFAULT_LIMIT = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(CosmosRecords.class);

    private final String container;
    private final RecordTemplate template;
    private final CosmosCalls calls;

    /**
     * @param options database and container are used, the rest is ignored
     * @param requestTimeout how long one call may take in all, however many pages it reads
     * @param meters where {@code safebunny.cosmos.request.charge} is registered, as by the store
     */
    public CosmosRecords(
            CosmosAsyncClient client, CosmosContainerOptions options, Duration requestTimeout, MeterRegistry meters) {
        this.container = options.container();
        this.calls = new CosmosCalls(container, requestTimeout, meters);
        this.template = new RecordTemplate(client, options.database(), units -> calls.charge(Operation.QUERY, units));
    }

    /** Uses the asynchronous client inside the given one. */
    public CosmosRecords(
            CosmosClient client, CosmosContainerOptions options, Duration requestTimeout, MeterRegistry meters) {
        this(SdkInternals.asyncClient(client), options, requestTimeout, meters);
    }

    /** Like {@link #ofCorrelation(String, int)}, with {@link #DEFAULT_LIMIT}. */
    public List<MessageRecord> ofCorrelation(String correlationId) {
        return ofCorrelation(correlationId, DEFAULT_LIMIT);
    }

    /**
     * The records of one correlation id, ordered by last change, oldest first; the service's clock counts whole seconds. Includes companions,
     * see {@link io.safebunny.store.record.RecordKey#isCompanion()}; excludes expired records and those that this version of the library cannot
     * read. One query in one partition; blocks.
     *
     * @param limit not negative; all records are held in memory at once, each up to {@link CosmosMessageStore#MAX_DOCUMENT_SIZE}. If there
     *     are more, the service chooses which are returned
     * @throws StoreUnavailableException if the service does not answer in time or refuses
     */
    public List<MessageRecord> ofCorrelation(String correlationId, int limit) {
        try {
            List<RecordItem> found = calls.run(
                    Operation.QUERY,
                    template.find(query(correlationId), container)
                            .onErrorMap(CosmosAccessException.class, CosmosRecords::answer)
                            .take(limit)
                            .collectList());
            // sorted here, because the template keeps its sort alias
            // in a static variable that concurrent queries overwrite
            return found.stream()
                    .sorted(Comparator.comparingLong(RecordItem::changedAt))
                    .flatMap(CosmosRecords::readable)
                    .toList();
        } catch (CosmosException e) {
            throw CosmosErrors.unavailable(Operation.QUERY, container, e);
        }
    }

    static CosmosQuery query(String correlationId) {
        return new CosmosQuery(Criteria.getInstance(
                CriteriaType.IS_EQUAL, RecordItem.PARTITION, List.of(correlationId), Part.IgnoreCaseType.NEVER));
    }

    /** The error response of the service or client, which the template wraps. */
    private static Throwable answer(CosmosAccessException thrown) {
        CosmosException answer = thrown.getCosmosException();
        return answer == null ? thrown : answer;
    }

    private static Stream<MessageRecord> readable(RecordItem item) {
        try {
            return Stream.of(item.record());
        } catch (UnreadableRecordException e) {
            LOG.warn("Skipping a record that this version cannot read: {}", e.getMessage());
            return Stream.empty();
        }
    }
}
