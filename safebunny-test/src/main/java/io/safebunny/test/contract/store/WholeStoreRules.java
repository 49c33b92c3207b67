// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.store.MessageStore;
import io.safebunny.store.StoredPage;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Who reads a store from its first part to its last has seen all that was there. A store that cannot list all says so. */
interface WholeStoreRules {

    StoreBench bench();

    @Test
    default void readsAllThereIsPartByPart() {
        List<RecordKey> created = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String correlationId = key().correlationId();
            for (int j = 0; j < 7; j++) {
                created.add(create(bench().store(), new RecordKey(correlationId, "m" + j)));
            }
            created.add(create(bench().store(), new RecordKey(correlationId, "m0").companion("part")));
            created.add(bench().store().create(saga(correlationId)).key());
        }

        for (int limit : new int[] {1, 3, 100}) {
            awaitAll(created, limit);
        }
    }

    @Test
    default void readsStepsThatAreKeptApart() {
        RecordKey record = create(bench().store(), key());
        RecordKey steps = create(bench().store(), record.companionApart("steps"));

        awaitAll(List.of(record, steps), 3);
    }

    @Test
    default void readsRecordsWithTheirContent() {
        MessageRecord saga = bench().store().create(saga(key().correlationId()));

        awaitAll(List.of(saga.key()), 10);
        assertSame(
                all(10).stream()
                        .filter(record -> record.key().equals(saga.key()))
                        .findFirst()
                        .orElseThrow(),
                saga);
    }

    @Test
    default void readsNothingOfOtherNodes() {
        RecordKey there = create(bench().otherNode(), key());
        RecordKey here = create(bench().store(), key());

        awaitAll(List.of(here), 10);
        assertThat(all(10)).extracting(MessageRecord::key).doesNotContain(there);
    }

    // ---- details

    private static RecordKey create(MessageStore store, RecordKey key) {
        return store.create(claim(key, "first")).key();
    }

    private static MessageRecord saga(String correlationId) {
        return MessageRecord.companion(
                RecordKey.companion(correlationId, "saga.A"),
                "first",
                new Listing("A", "RUNNING", Instant.EPOCH, null),
                Map.of("saga", "{\"cents\":4711}"));
    }

    /** Each of them once, whatever else there is. */
    private void awaitAll(List<RecordKey> expected, int limit) {
        Set<String> correlations =
                expected.stream().map(RecordKey::correlationId).collect(Collectors.toSet());
        bench().await().untilAsserted(() -> assertThat(all(limit))
                .extracting(MessageRecord::key)
                .filteredOn(key -> correlations.contains(key.correlationId()))
                .containsExactlyInAnyOrderElementsOf(expected));
    }

    private List<MessageRecord> all(int limit) {
        List<MessageRecord> all = new ArrayList<>();
        String next = null;
        do {
            StoredPage<MessageRecord> part = bench().store().findAll(next, limit);
            assumeTrue(part != null, "this store does not list all that it has");
            assertThat(part.rows().size() + part.unreadable()).isLessThanOrEqualTo(limit);
            all.addAll(part.rows());
            next = part.next();
        } while (next != null);
        return all;
    }
}
