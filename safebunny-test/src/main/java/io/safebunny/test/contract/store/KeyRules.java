// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.found;
import static io.safebunny.test.contract.store.StoreBench.key;
import static io.safebunny.test.contract.store.StoreBench.replaced;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Two keys are the same record only if they are equal, character by character, in the same node. */
interface KeyRules {

    StoreBench bench();

    @Test
    default void keepsOneMessageIdInTwoCorrelationsApart() {
        String messageId = key().messageId();

        assertAllDifferent(
                Stream.of(key(), key(), key()).map(RecordKey::correlationId).map(id -> new RecordKey(id, messageId)));
    }

    @Test
    default void keepsTheMessagesOfOneCorrelationApart() {
        String correlationId = key().correlationId();

        assertAllDifferent(
                Stream.of(key(), key(), key()).map(RecordKey::messageId).map(id -> new RecordKey(correlationId, id)));
    }

    @Test
    default void doesNotIgnoreCase() {
        String correlationId = "Order-" + UUID.randomUUID();

        assertAllDifferent(Stream.of(
                new RecordKey(correlationId, "message"),
                new RecordKey(correlationId, "Message"),
                new RecordKey(correlationId, "MESSAGE"),
                new RecordKey(correlationId.replace('O', 'o'), "message")));
    }

    @Test
    default void doesNotIgnorePunctuation() {
        String c = UUID.randomUUID().toString();

        assertAllDifferent(Stream.concat(
                Stream.of("a", "a.", "a:", "a_", "a-", ".a", ":a", "_a", "-a", "a.b", "a:b", "a_b", "a-b", "ab", "axb")
                        .map(id -> new RecordKey(c, id)),
                Stream.of(".", ":", "_", "-").map(end -> new RecordKey(c + end, "end"))));
    }

    @Test
    default void doesNotTakeDigitsForNumbers() {
        String c = UUID.randomUUID().toString();

        assertAllDifferent(
                Stream.of("7", "07", "007", "7.0", "7e0", "0x7", "-7").map(id -> new RecordKey(c, id)));
    }

    @Test
    default void doesNotJoinCorrelationAndMessageIdAmbiguously() {
        String c = UUID.randomUUID().toString();

        assertAllDifferent(Stream.of(".", ":", "_", "-", "")
                .flatMap(separator ->
                        Stream.of(new RecordKey(c + separator + "x", "y"), new RecordKey(c, "x" + separator + "y"))));
    }

    @Test
    default void keepsTheLongestKeysApart() {
        String c = UUID.randomUUID() + "c".repeat(27);
        String m = "m".repeat(127);

        assertThat(c).hasSize(63);
        assertAllDifferent(Stream.of("1", "2")
                .flatMap(first -> Stream.of("1", "2").flatMap(second -> Stream.of("", "~steps", "~~steps")
                        .map(suffix -> new RecordKey(c + first, m + second + suffix)))));
    }

    @Test
    default void doesNotShareRecordsWithOtherNodes() {
        MessageRecord record = claim(key(), "first");
        MessageRecord there = claim(record.key(), "there");
        bench().store().create(record);

        assertThat(bench().otherNode().find(record.key())).isNull();
        MessageRecord createdThere = bench().otherNode().create(there);
        assertSame(createdThere, there);
        MessageRecord completedThere = replaced(bench().otherNode(), createdThere.next(RecordState.COMPLETED));

        assertSame(bench().otherNode().find(record.key()), completedThere);
        bench().assertStored(record);
    }

    /** Checks that each of these records is created, replaced and found as if there were no others. */
    private void assertAllDifferent(Stream<RecordKey> keys) {
        List<MessageRecord> records = new ArrayList<>();
        keys.forEach(key -> records.add(claim(key, "owner-" + records.size())));

        records.forEach(record -> assertSame(bench().store().create(record), record));
        records.forEach(record -> bench().assertStored(record));
        records.forEach(record -> bench().replaced(changed(found(bench().store(), record.key()))));
        records.forEach(record -> bench().assertStored(changed(record)));
    }

    private static MessageRecord changed(MessageRecord record) {
        return record.claimedBy("next-" + record.owner(), Duration.ofSeconds(30), 1, 1);
    }
}
