// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.MessageStore;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.contract.bites.Sabotage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Faults against {@link SearchRules}. */
final class BrokenSearches extends StoreFaults {

    private static final String ALL = "findsWhatIsStoredOfACorrelationId";
    private static final String BY_MESSAGE = "findsTheCorrelationIdsOfAMessageId";
    private static final String NO_ID = "findsNothingByWhatIsNoId";
    private static final String CONTENT = "findsRecordsOfACorrelationIdWithTheirContent";

    BrokenSearches() {
        correlated();
        dated();
        byMessage();
    }

    private void correlated() {
        fault("finds messages only", ALL, MessageStore::findCorrelated).instead((real, correlation, limit) -> {
            List<DatedRecord> found = real.findCorrelated(correlation, limit);
            return found.size() < 4
                    ? found
                    : found.stream()
                            .filter(dated -> !dated.record().key().isCompanion())
                            .toList();
        });
        fault("ignores the case of correlation ids", ALL, takingForEqual(String::equalsIgnoreCase));
        fault(
                "takes a correlation id for a beginning",
                ALL,
                takingForEqual((id, asked) -> !asked.isBlank() && id.startsWith(asked)));
        fault(
                "ignores blanks at the end of correlation ids",
                NO_ID,
                takingForEqual((id, asked) -> id.equals(asked.stripTrailing())));
        fault("finds steps that are kept apart", "findsNoStepsThatAreKeptApart", store -> {
            Set<RecordKey> apart = ConcurrentHashMap.newKeySet();
            store.on(MessageStore::create).instead((real, record) -> {
                if (record.key().isApart()) {
                    apart.add(record.key());
                }
                return real.create(record);
            });
            store.on(MessageStore::findCorrelated).instead((real, correlation, limit) -> Stream.concat(
                            real.findCorrelated(correlation, limit).stream(),
                            apart.stream()
                                    .filter(key -> key.correlationId().equals(correlation))
                                    .map(key -> new DatedRecord(
                                            Objects.requireNonNull(real.find(key)), MessageStoreContract.START)))
                    .limit(limit)
                    .toList());
        });
        fault("finds the last ones first", ALL, MessageStore::findCorrelated).instead((real, correlation, limit) -> {
            List<DatedRecord> found = new ArrayList<>(real.findCorrelated(correlation, limit));
            if (found.size() == 4) {
                Collections.reverse(found);
            }
            return found;
        });
        fault("finds records without content", CONTENT, MessageStore::findCorrelated)
                .instead((real, correlation, limit) -> real.findCorrelated(correlation, limit).stream()
                        .map(dated -> new DatedRecord(dated.record().withSteps(Map.of()), dated.changedAt()))
                        .toList());
        faultIn(
                "finds what other nodes have of it",
                "findsRecordsOfACorrelationIdOfItsNodeOnly",
                test -> store -> store.on(MessageStore::findCorrelated)
                        .instead((real, correlation, limit) -> Stream.of(real, test.otherSound)
                                .flatMap(node -> node.findCorrelated(correlation, limit).stream())
                                .toList()));
        fault(
                        "ignores the limit of a correlation id",
                        "findsNoMoreRecordsOfACorrelationIdThanTheLimit",
                        MessageStore::findCorrelated)
                .instead((real, correlation, limit) -> real.findCorrelated(correlation, 10));
    }

    private static Consumer<Sabotage<MessageStore>> takingForEqual(BiPredicate<String, String> equal) {
        return store -> {
            Set<String> correlations = ConcurrentHashMap.newKeySet();
            store.on(MessageStore::create).instead((real, record) -> {
                correlations.add(record.key().correlationId());
                return real.create(record);
            });
            store.on(MessageStore::findCorrelated).instead((real, correlation, limit) -> correlations.stream()
                    .filter(other -> equal.test(other, correlation))
                    .flatMap(other -> real.findCorrelated(other, limit).stream())
                    .limit(limit)
                    .toList());
        };
    }

    private void dated() {
        fault("does not know when", "tellsByTheStoresClockWhenRecordsWereWritten", MessageStore::findCorrelated)
                .instead((real, correlation, limit) -> real.findCorrelated(correlation, limit).stream()
                        .map(dated -> new DatedRecord(dated.record(), Instant.EPOCH))
                        .toList());
        fault("tells earlier times later", "tellsWhenRecordsOfACorrelationIdWereWritten", MessageStore::findCorrelated)
                .instead((real, correlation, limit) -> real.findCorrelated(correlation, limit).stream()
                        .map(dated -> new DatedRecord(
                                dated.record(),
                                dated.changedAt().minusMillis(dated.record().version())))
                        .toList());
        fault("tells when they were created", "tellsByTheStoresClockWhenRecordsWereWritten", store -> {
            Map<RecordKey, Instant> created = new ConcurrentHashMap<>();
            store.on(MessageStore::findCorrelated)
                    .instead((real, correlation, limit) -> real.findCorrelated(correlation, limit).stream()
                            .map(dated -> new DatedRecord(
                                    dated.record(),
                                    created.computeIfAbsent(dated.record().key(), key -> dated.changedAt())))
                            .toList());
        });
    }

    private void byMessage() {
        fault(
                "takes an id for a beginning",
                BY_MESSAGE,
                findingAlso((id, asked) -> !asked.isBlank() && !asked.contains("~") && id.startsWith(asked)));
        fault(
                "ignores the case of message ids",
                BY_MESSAGE,
                findingAlso((id, asked) -> !asked.contains("~") && id.equalsIgnoreCase(asked)));
        fault(
                "finds companions by their ids",
                NO_ID,
                findingAlso((id, asked) -> id.equals(asked) && asked.startsWith("~")));
        fault(
                "ignores blanks at the end of message ids",
                NO_ID,
                findingAlso((id, asked) -> id.equals(asked.stripTrailing()) && !asked.isBlank()));
        fault("finds the first one only", BY_MESSAGE, MessageStore::findCorrelationIds)
                .instead((real, id, limit, atMost) -> real.findCorrelationIds(id, 1, atMost));
        fault("ignores the limit of a message id", BY_MESSAGE, MessageStore::findCorrelationIds)
                .instead((real, id, limit, atMost) -> real.findCorrelationIds(id, 10, atMost));
        faultIn(
                "finds correlation ids of other nodes",
                BY_MESSAGE,
                test -> store -> store.on(MessageStore::findCorrelationIds)
                        .instead((real, id, limit, atMost) -> Stream.of(real, test.otherSound)
                                .flatMap(node -> node.findCorrelationIds(id, limit, atMost).stream())
                                .limit(limit)
                                .toList()));
        fault("finds what it has forgotten", "findsNothingThatIsForgotten", store -> {
            Map<RecordKey, MessageRecord> seen = new ConcurrentHashMap<>();
            store.on(MessageStore::create).instead((real, record) -> {
                seen.put(record.key(), record);
                return real.create(record);
            });
            store.on(MessageStore::findCorrelationIds).instead((real, id, limit, atMost) -> Stream.concat(
                            real.findCorrelationIds(id, limit, atMost).stream(),
                            seen.keySet().stream()
                                    .filter(key -> key.messageId().equals(id) && real.find(key) == null)
                                    .map(RecordKey::correlationId))
                    .limit(limit)
                    .toList());
        });
    }

    private static Consumer<Sabotage<MessageStore>> findingAlso(BiPredicate<String, String> equal) {
        return store -> {
            Set<RecordKey> keys = ConcurrentHashMap.newKeySet();
            store.on(MessageStore::create).instead((real, record) -> {
                keys.add(record.key());
                return real.create(record);
            });
            store.on(MessageStore::findCorrelationIds).instead((real, id, limit, atMost) -> Stream.concat(
                            real.findCorrelationIds(id, limit, atMost).stream(),
                            keys.stream()
                                    .filter(key -> real.find(key) != null && equal.test(key.messageId(), id))
                                    .map(RecordKey::correlationId))
                    .distinct()
                    .limit(limit)
                    .toList());
        };
    }
}
