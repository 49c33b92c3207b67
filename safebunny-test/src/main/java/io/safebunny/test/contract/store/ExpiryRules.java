// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.key;
import static io.safebunny.test.contract.store.StoreBench.replaced;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Final records expire after the retention, poisoned ones after their own; nothing else ever expires, and a late write never brings a
 * record back.
 */
interface ExpiryRules {

    StoreBench bench();

    @Test
    default void forgetsFinalRecordsAfterTheRetention() {
        List<MessageRecord> expired = List.of(
                bench().created(RecordState.DISPATCHED),
                bench().created(RecordState.UNDONE),
                bench().store().create(withState(claim(key(), "first"), RecordState.UNDONE)));
        bench().outliveTheRetention();

        awaitForgotten(expired);
    }

    /** The messages of poisoned records wait for a replay, which needs the record so that it does not repeat steps. */
    @Test
    default void keepsPoisonedRecordsForThePoisonRetention() {
        MessageRecord poisoned = bench().created(RecordState.POISONED);
        MessageRecord withSteps = bench().replaced(
                        bench().created().withSteps(Map.of("charge", "1")).next(RecordState.POISONED));
        MessageRecord dispatched = bench().created(RecordState.DISPATCHED); // forgotten before the older ones
        bench().outliveTheRetention();

        awaitForgotten(List.of(dispatched));
        bench().assertStored(poisoned);
        bench().assertStored(withSteps);
    }

    @Test
    default void forgetsPoisonedRecordsAfterThePoisonRetention() {
        List<MessageRecord> expired = List.of(
                bench().created(RecordState.POISONED),
                bench().store().create(withState(claim(key(), "first"), RecordState.POISONED)));
        bench().outliveThePoisonRetention();

        awaitForgotten(expired);
    }

    @Test
    default void forgetsWhatWasReplayedAfterTheRetention() {
        MessageRecord replayed = bench().replaced(
                        bench().created(RecordState.POISONED).claimedBy("second", Duration.ofSeconds(30), 0, 0));
        MessageRecord dispatched = bench().replaced(replayed.dispatched());
        bench().outliveTheRetention();

        awaitForgotten(List.of(dispatched));
    }

    @Test
    default void keepsFinalRecordsForTheRetention() {
        List<MessageRecord> young = List.of(
                bench().created(RecordState.DISPATCHED),
                bench().created(RecordState.POISONED),
                bench().created(RecordState.UNDONE));

        assertThat(bench().store().removeExpired(100)).isZero();
        young.forEach(record -> bench().assertStored(record));
    }

    @Test
    default void neverForgetsARecordThatIsNotFinal() {
        List<MessageRecord> unfinished = Stream.of(RecordState.values())
                .filter(state -> !state.isFinal())
                .map(state -> bench().created(state))
                .toList();
        bench().outliveTheRetention();

        assertThat(bench().store().removeExpired(100)).isZero();
        unfinished.forEach(record -> bench().assertStored(record));
    }

    @Test
    default void removesNoMoreThanTheLimit() {
        bench().assumeRemovalOnRequestOnly();
        List<MessageRecord> expired = bench().created(RecordState.DISPATCHED, 5);
        bench().outliveTheRetention();

        assertThat(bench().store().removeExpired(3)).isEqualTo(3);
        assertThat(stored(expired)).isEqualTo(2);
        assertThat(bench().store().removeExpired(3)).isEqualTo(2);
        assertThat(stored(expired)).isZero();
    }

    @Test
    default void removesNothingOfOtherNodes() {
        bench().assumeRemovalOnRequestOnly();
        MessageRecord claim = bench().otherNode().create(claim(key(), "there"));
        MessageRecord there = replaced(bench().otherNode(), claim.next(RecordState.POISONED));
        bench().outliveThePoisonRetention();

        assertThat(bench().store().removeExpired(100)).isZero();
        assertSame(bench().otherNode().find(there.key()), there);
    }

    @Test
    default void countsTheRetentionFromTheLastChange() {
        Duration most = bench().retention().multipliedBy(2).dividedBy(3);
        MessageRecord poisoned = bench().created(RecordState.POISONED);
        MessageRecord poisonedAgain = bench().created(RecordState.POISONED);
        bench().age(most);
        MessageRecord replayed = bench().replaced(poisoned.claimedBy("second", Duration.ofSeconds(30), 0, 0));
        MessageRecord again = bench().replaced(poisonedAgain.claimedBy("second", Duration.ofSeconds(30), 0, 0));
        MessageRecord finalAgain = bench().replaced(again.next(RecordState.DISPATCHED));
        bench().age(most);

        assertThat(bench().store().removeExpired(100)).isZero();
        bench().assertStored(replayed);
        bench().assertStored(finalAgain);
    }

    @Test
    default void bringsNothingBackByALateReplace() {
        MessageRecord dispatched = bench().created(RecordState.DISPATCHED);
        bench().outliveTheRetention();
        awaitForgotten(List.of(dispatched));

        assertThat(bench().store().replace(dispatched.next(RecordState.COMPLETED)))
                .isNull();
        bench().assertNothingStored(dispatched.key());
        MessageRecord anew = claim(dispatched.key(), "second");
        assertSame(bench().store().create(anew), anew);
        assertThat(bench().store().replace(dispatched.next(RecordState.COMPLETED)))
                .isNull();
        bench().assertStored(anew);
    }

    /** Removes the expired records, or waits until the store has removed them. */
    private void awaitForgotten(List<MessageRecord> expired) {
        int removed = bench().store().removeExpired(100);
        assertThat(removed).isIn(0, expired.size());
        bench().await().untilAsserted(() -> assertThat(stored(expired)).isZero());
    }

    private long stored(List<MessageRecord> records) {
        return records.stream()
                .filter(record -> bench().another().find(record.key()) != null)
                .count();
    }

    private static MessageRecord withState(MessageRecord record, RecordState state) {
        return new MessageRecord(
                record.key(),
                state,
                record.owner(),
                record.version(),
                record.attempt(),
                record.takeovers(),
                record.lease(),
                record.fingerprint(),
                record.steps(),
                record.outgoing(),
                null,
                null);
    }
}
