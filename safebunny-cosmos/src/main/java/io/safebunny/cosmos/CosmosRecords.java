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
import io.safebunny.store.MessageRecord;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.repository.query.parser.Part;

/**
 * What a node remembers of one correlation id, for whoever wants to see what became of it. Only reads: records are written by
 * {@link CosmosMessageStore} alone. Thread-safe.
 *
 * <p>Reads go through Spring Data's template, with the client and to the container of the store. No container is looked at or
 * created, and nothing is asked of the service before the first call. A record may be older than what this process has written,
 * as far as the account's consistency level allows.
 */
public final class CosmosRecords {

    /** Most records of one answer unless the caller says otherwise. */
    public static final int DEFAULT_LIMIT = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(CosmosRecords.class);

    private final String container;
    private final RecordTemplate template;
    private final CosmosCalls calls;

    /**
     * @param options say which container it is; nothing else of them matters here
     * @param requestTimeout how long one call may take in all, however many pages it reads
     * @param meters gets {@code safebunny.cosmos.request.charge}, as from the store
     */
    public CosmosRecords(
            CosmosAsyncClient client, CosmosContainerOptions options, Duration requestTimeout, MeterRegistry meters) {
        this.container = options.container();
        this.calls = new CosmosCalls(container, requestTimeout, meters);
        this.template = new RecordTemplate(client, options.database(), units -> calls.charge(Operation.QUERY, units));
    }

    /** As the other constructor, with the client that the blocking one wraps. */
    public CosmosRecords(
            CosmosClient client, CosmosContainerOptions options, Duration requestTimeout, MeterRegistry meters) {
        this(SdkInternals.asyncClient(client), options, requestTimeout, meters);
    }

    /** As {@link #ofCorrelation(String, int)}, {@link #DEFAULT_LIMIT} at most. */
    public List<MessageRecord> ofCorrelation(String correlationId) {
        return ofCorrelation(correlationId, DEFAULT_LIMIT);
    }

    /**
     * The records of one correlation id, those first that have not changed for the longest time, in whole seconds of the service's
     * clock. Companions are among them, see {@link io.safebunny.store.RecordKey#isCompanion()}. Records that have expired, and
     * those that this version of the library does not understand, are not. One query in one partition; blocks.
     *
     * @param limit not negative; a record may have {@link CosmosMessageStore#MAX_DOCUMENT_SIZE}, and all are held at once. When there
     *     are more records, the service chooses, and as many as the limit come back
     * @throws StoreUnavailableException when there is no answer in time, or none but a refusal
     */
    public List<MessageRecord> ofCorrelation(String correlationId, int limit) {
        try {
            List<RecordItem> found = calls.run(
                    Operation.QUERY,
                    template.find(query(correlationId), container)
                            .onErrorMap(CosmosAccessException.class, CosmosRecords::answer)
                            .take(limit)
                            .collectList());
            // The query does not sort: the template keeps the alias to sort by in a static variable, so that
            // concurrent queries may get each other's.
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

    /** What the service, or the client in its place, said; the template wraps it. */
    private static Throwable answer(CosmosAccessException thrown) {
        CosmosException answer = thrown.getCosmosException();
        return answer == null ? thrown : answer;
    }

    private static Stream<MessageRecord> readable(RecordItem item) {
        try {
            return Stream.of(item.record());
        } catch (UnreadableRecordException e) {
            LOG.warn("A record is left out of what is known of its correlation id: {}", e.getMessage());
            return Stream.empty();
        }
    }
}
