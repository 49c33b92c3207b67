// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.MessageStore;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What people look for is found by the ids that they may know. Results may be slightly stale, so the rules wait for them. */
interface SearchRules {

    StoreBench bench();

    // ---- by correlation id

    @Test
    default void findsWhatIsStoredOfACorrelationId() {
        String correlationId = "c-" + key().correlationId();
        MessageRecord second = create(bench().store(), new RecordKey(correlationId, "m2"));
        MessageRecord first = create(bench().store(), new RecordKey(correlationId, "m1"));
        MessageRecord companion = create(bench().store(), first.key().companion("part"));
        MessageRecord saga = bench().store().create(saga(correlationId));
        create(bench().store(), new RecordKey(correlationId.toUpperCase(Locale.ROOT), "m1"));
        create(bench().store(), new RecordKey(correlationId + "X", "m1"));
        create(bench().store(), key());

        awaitCorrelated(correlationId, List.of(saga.key(), first.key(), companion.key(), second.key()));
        awaitCorrelated(correlationId + "-", List.of());
    }

    @Test
    default void findsNoStepsThatAreKeptApart() {
        MessageRecord record = create(bench().store(), key());
        create(bench().store(), record.key().companionApart("steps"));

        awaitCorrelated(record.key().correlationId(), List.of(record.key()));
    }

    /** Some databases refuse such a text, and some compare it with less than all of its characters. */
    @Test
    default void findsNothingByWhatIsNoId() {
        RecordKey key = create(bench().store(), key()).key();
        bench().store().create(saga(key.correlationId()));

        awaitCorrelationIds(key.messageId(), List.of(key.correlationId()));
        for (String none : List.of("", " ", "~saga.A", "é", "a\0b", "x".repeat(300))) {
            assertThat(bench().store().findCorrelated(none, 10)).isEmpty();
            assertThat(bench().store().findCorrelationIds(none, 10, bench().patience()))
                    .isEmpty();
        }
        for (String end : List.of(" ", "\0", "é")) {
            assertThat(bench().store().findCorrelated(key.correlationId() + end, 10))
                    .isEmpty();
            assertThat(bench().store().findCorrelationIds(key.messageId() + end, 10, bench().patience()))
                    .isEmpty();
        }
    }

    @Test
    default void findsRecordsOfACorrelationIdWithTheirContent() {
        String correlationId = key().correlationId();
        MessageRecord saga = bench().store().create(saga(correlationId));
        MessageRecord failed = bench().replaced(create(bench().store(), new RecordKey(correlationId, "m"))
                .withTrail(StoreBench.trail())
                .next(RecordState.RELEASED));

        awaitCorrelated(correlationId, List.of(saga.key(), failed.key()));
        List<DatedRecord> found = bench().store().findCorrelated(correlationId, 10);
        assertSame(found.get(0).record(), saga);
        assertSame(found.get(1).record(), failed);
    }

    @Test
    default void findsRecordsOfACorrelationIdOfItsNodeOnly() {
        String correlationId = key().correlationId();
        create(bench().otherNode(), new RecordKey(correlationId, "there"));
        bench().otherNode().create(saga(correlationId));
        MessageRecord here = create(bench().store(), new RecordKey(correlationId, "here"));

        awaitCorrelated(correlationId, List.of(here.key()));
    }

    @Test
    default void findsNoMoreRecordsOfACorrelationIdThanTheLimit() {
        String correlationId = key().correlationId();
        bench().store().create(saga(correlationId));
        create(bench().store(), new RecordKey(correlationId, "m1"));
        create(bench().store(), new RecordKey(correlationId, "m2"));

        bench().await().untilAsserted(() -> assertThat(bench().store().findCorrelated(correlationId, 10))
                .hasSize(3));
        assertThat(bench().store().findCorrelated(correlationId, 2)).hasSize(2);
        assertThat(bench().store().findCorrelated(correlationId, 1)).hasSize(1);
    }

    @Test
    default void tellsWhenRecordsOfACorrelationIdWereWritten() {
        MessageRecord record = create(bench().store(), key());
        Instant created = changedAt(record);
        MessageRecord next = bench().replaced(record.next(RecordState.RELEASED));

        assertThat(changedAt(next))
                .isAfterOrEqualTo(created)
                .isBefore(created.plus(bench().patience().multipliedBy(2)));
    }

    @Test
    default void tellsByTheStoresClockWhenRecordsWereWritten() {
        MessageRecord record = create(bench().store(), key());
        bench().age(bench().retention());
        Instant created = changedAt(record);
        MessageRecord next = bench().replaced(record.next(RecordState.RELEASED));

        assertThat(Duration.between(created, changedAt(next)))
                .isBetween(
                        bench().retention().minus(bench().patience()),
                        bench().retention().plus(bench().patience()));
    }

    // ---- by message id

    @Test
    default void findsTheCorrelationIdsOfAMessageId() {
        RecordKey one = new RecordKey("one-" + key().correlationId(), "m-" + key().messageId());
        RecordKey two = new RecordKey("two-" + key().correlationId(), one.messageId());
        create(bench().store(), one);
        create(bench().store(), two);
        create(bench().store(), one.companion("part"));
        create(bench().store(), new RecordKey(key().correlationId(), one.messageId() + "0"));
        create(
                bench().store(),
                new RecordKey(key().correlationId(), one.messageId().toUpperCase(Locale.ROOT)));
        create(bench().otherNode(), new RecordKey("three-" + key().correlationId(), one.messageId()));

        awaitCorrelationIds(one.messageId(), List.of(one.correlationId(), two.correlationId()));
        awaitCorrelationIds("no-" + one.messageId(), List.of());
        assertThat(bench().store().findCorrelationIds(one.messageId(), 1, bench().patience()))
                .hasSize(1)
                .isSubsetOf(one.correlationId(), two.correlationId());
    }

    @Test
    default void findsNothingThatIsForgotten() {
        MessageRecord done = bench().created(RecordState.DISPATCHED);
        bench().outliveTheRetention();
        assertThat(bench().store().removeExpired(100)).isIn(0, 1);

        bench().await().untilAsserted(() -> {
            assertThat(bench().another().findCorrelated(done.key().correlationId(), 10))
                    .isEmpty();
            assertThat(bench().another().findCorrelationIds(done.key().messageId(), 10, bench().patience()))
                    .isEmpty();
        });
    }

    // ---- details

    private static MessageRecord create(MessageStore store, RecordKey key) {
        return store.create(claim(key, "first"));
    }

    private static MessageRecord saga(String correlationId) {
        return MessageRecord.companion(
                RecordKey.companion(correlationId, "saga.A"),
                "first",
                new Listing("A", "RUNNING", Instant.EPOCH, null),
                Map.of("saga", "{\"cents\":4711}"));
    }

    private Instant changedAt(MessageRecord record) {
        return bench().await()
                .until(() -> bench().store().findCorrelated(record.key().correlationId(), 1), found -> found.stream()
                        .anyMatch(dated -> dated.record().version() == record.version()))
                .get(0)
                .changedAt();
    }

    private void awaitCorrelated(String correlationId, List<RecordKey> expected) {
        bench().await().untilAsserted(() -> assertThat(bench().store().findCorrelated(correlationId, 10))
                .extracting(dated -> dated.record().key())
                .containsExactlyElementsOf(expected));
    }

    private void awaitCorrelationIds(String messageId, List<String> expected) {
        bench().await()
                .untilAsserted(() -> assertThat(bench().store().findCorrelationIds(messageId, 10, bench().patience()))
                        .containsExactlyInAnyOrderElementsOf(expected));
    }
}
