// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.key;
import static io.safebunny.test.contract.store.StoreBench.keys;
import static io.safebunny.test.contract.store.StoreBench.replaced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Several messages in one transaction, each behind a mark. Skipped for a store that does not share transactions. */
interface SharedTransactionRules {

    TransactionBench transactions();

    @Test
    default void endsKnowinglyIfItSharesTransactions() {
        transactions().assumeShared();

        assertThat(transactions().store().endsKnowingly()).isTrue();
    }

    // ---- many creates

    @Test
    default void createsTheMissingOnesOfMany() throws Exception {
        transactions().assumeShared();
        MessageRecord existing = transactions().store().create(claim(key(), "first"));
        List<MessageRecord> missing = List.of(claim(key(), "second"), claim(key(), "second"));

        transactions().begin();
        List<MessageRecord> created = transactions()
                .store()
                .createAll(List.of(missing.get(0), claim(existing.key(), "second"), missing.get(1)));
        transactions().commit();

        assertCreated(created, missing);
        transactions().assertSeen(existing);
        transactions().assertSeen(missing.get(0));
        transactions().assertSeen(missing.get(1));
    }

    @Test
    default void letsACreateOfManyWaitAndLeaveOutWhatIsCommitted() throws Exception {
        transactions().assumeShared();
        MessageRecord contended = claim(key(), "first");
        MessageRecord other = claim(key(), "second");

        transactions().begin();
        transactions().store().create(contended);
        Future<List<MessageRecord>> second =
                transactions().elsewhere(store -> store.createAll(List.of(claim(contended.key(), "second"), other)));
        transactions().assertWaitingBriefly(second);
        transactions().commit();

        assertCreated(transactions().get(second), List.of(other));
        transactions().assertSeen(contended);
        transactions().assertSeen(other);
    }

    @Test
    default void letsACreateOfManyWaitAndCreateAllAfterARollback() throws Exception {
        transactions().assumeShared();
        List<MessageRecord> claims = List.of(claim(key(), "second"), claim(key(), "second"));

        transactions().begin();
        transactions().store().create(claim(claims.get(0).key(), "first"));
        Future<List<MessageRecord>> second = transactions().elsewhere(store -> store.createAll(claims));
        transactions().assertWaitingBriefly(second);
        transactions().rollback();

        assertCreated(transactions().get(second), claims);
        transactions().assertSeen(claims.get(0));
    }

    @Test
    default void letsACreateOfManyWaitNoLongerThanItsTime() throws Exception {
        transactions().assumeShared();
        MessageRecord contended = claim(key(), "first");

        transactions().begin();
        transactions().store().create(contended);
        Future<List<MessageRecord>> second =
                transactions().elsewhere(store -> store.createAll(List.of(claim(contended.key(), "second"))));

        assertThat(transactions().failureOf(second))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        unavailable -> assertThat(unavailable.retryAfter()).isPositive());
    }

    /**
     * Two transactions create the same records, in opposite orders of the arguments, and both wait for the middle one. If each had created
     * the records before the middle one by then, they would deadlock.
     */
    @Test
    default void createsManyInAnOrderOfItsOwn() throws Exception {
        transactions().assumeShared();
        List<RecordKey> keys = Stream.generate(StoreBench::key).limit(3).toList();
        List<RecordKey> reversed = new ArrayList<>(keys);
        Collections.reverse(reversed);

        transactions().begin();
        transactions().store().create(claim(keys.get(1), "first"));
        Future<List<MessageRecord>> forwards = transactions().elsewhere(store -> store.createAll(claims(keys)));
        Future<List<MessageRecord>> backwards = transactions().elsewhere(store -> store.createAll(claims(reversed)));
        transactions().assertWaitingBriefly(forwards);
        transactions().assertWaitingBriefly(backwards);
        transactions().rollback();

        List<RecordKey> created = new ArrayList<>(keys(transactions().get(forwards)));
        created.addAll(keys(transactions().get(backwards)));
        assertThat(created).containsExactlyInAnyOrderElementsOf(keys);
    }

    // ---- marks

    @Test
    default void undoesWhatWasWrittenSinceTheMark() throws Exception {
        transactions().assumeShared();
        MessageRecord existing = transactions().store().create(claim(key(), "first"));
        MessageRecord before = claim(key(), "first");
        MessageRecord since = claim(key(), "first");

        transactions().begin();
        transactions().store().create(before);
        transactions().mark();
        transactions().store().create(since);
        replaced(transactions().store(), existing.next(RecordState.COMPLETED));
        transactions().returnToMark();
        transactions().commit();

        transactions().assertSeen(before);
        transactions().assertSeen(existing);
        transactions().assertNotSeen(since.key());
    }

    @Test
    default void returnsToTheLastOfItsMarks() throws Exception {
        transactions().assumeShared();
        MessageRecord first = claim(key(), "first");
        MessageRecord last = claim(key(), "first");

        transactions().begin();
        transactions().mark();
        transactions().store().create(first);
        transactions().mark();
        transactions().store().create(last);
        transactions().returnToMark();
        transactions().commit();

        transactions().assertSeen(first);
        transactions().assertNotSeen(last.key());
    }

    @Test
    default void returnsToOneMarkAgainAndAgain() throws Exception {
        transactions().assumeShared();
        MessageRecord undone = claim(key(), "first");
        MessageRecord kept = claim(key(), "first");

        transactions().begin();
        transactions().mark();
        for (int i = 0; i < 2; i++) {
            transactions().store().create(undone);
            transactions().returnToMark();
        }
        transactions().store().create(kept);
        transactions().commit();

        transactions().assertNotSeen(undone.key());
        transactions().assertSeen(kept);
    }

    @Test
    default void undoesWhatIsMarkedByRollback() throws Exception {
        transactions().assumeShared();
        MessageRecord claim = claim(key(), "first");

        transactions().begin();
        transactions().store().create(claim);
        transactions().mark();
        transactions().rollback();

        transactions().assertNotSeen(claim.key());
    }

    @Test
    default void keepsWhatItLockedBeforeTheMarkItReturnsTo() throws Exception {
        transactions().assumeShared();
        MessageRecord before = claim(key(), "first");

        transactions().begin();
        transactions().store().create(before);
        transactions().mark();
        transactions().store().create(claim(key(), "first"));
        transactions().returnToMark();
        Future<List<MessageRecord>> second =
                transactions().elsewhere(store -> store.createAll(List.of(claim(before.key(), "second"))));
        transactions().assertWaitingBriefly(second);
        transactions().commit();

        assertCreated(transactions().get(second), List.of());
    }

    @Test
    default void refusesAMarkAfterAFailure() throws Exception {
        transactions().assumeShared();

        transactions().begin();
        transactions().mark();
        failOnce();

        assertThatThrownBy(transactions()::mark).isInstanceOf(RuntimeException.class);
    }

    @Test
    default void goesOnFromTheMarkAfterAFailure() throws Exception {
        transactions().assumeShared();
        MessageRecord before = claim(key(), "first");
        MessageRecord afterwards = claim(key(), "first");

        transactions().begin();
        transactions().store().create(before);
        transactions().mark();
        failOnce();
        transactions().returnToMark();
        transactions().store().create(afterwards);
        transactions().mark();
        transactions().commit();

        transactions().assertSeen(before);
        transactions().assertSeen(afterwards);
    }

    @Test
    default void isKnownToBeOpenAtAMark() {
        transactions().assumeShared();

        transactions().begin();
        transactions().store().create(claim(key(), "first"));
        transactions().mark();
        assertThat(transactions().isKnownToBeOpen()).isTrue();
        transactions().store().create(claim(key(), "first"));
        transactions().returnToMark();
        assertThat(transactions().isKnownToBeOpen()).isTrue();
    }

    @Test
    default void refusesAMarkOnceTheDatabaseHasEndedTheTransaction() {
        transactions().assumeShared();

        transactions().begin();
        transactions().store().create(claim(key(), "first"));
        transactions().mark();
        transactions().endByTheDatabase();

        assertThatThrownBy(transactions()::mark).isInstanceOf(RuntimeException.class);
    }

    @Test
    default void returnsToNoMarkOnceTheDatabaseHasEndedTheTransaction() {
        transactions().assumeShared();

        transactions().begin();
        transactions().store().create(claim(key(), "first"));
        transactions().mark();
        transactions().endByTheDatabase();

        assertThatThrownBy(transactions()::returnToMark).isInstanceOf(RuntimeException.class);
    }

    // ---- details

    private static List<MessageRecord> claims(List<RecordKey> keys) {
        return keys.stream().map(key -> claim(key, "second")).toList();
    }

    private static void assertCreated(List<MessageRecord> created, List<MessageRecord> expected) {
        assertThat(keys(created)).as("what was created").containsExactlyInAnyOrderElementsOf(keys(expected));
    }

    /** Makes one call in the open transaction fail: it waits in vain for a record that another transaction has created. */
    private void failOnce() throws Exception {
        MessageRecord contended = claim(key(), "first");
        CountDownLatch created = new CountDownLatch(1);
        CountDownLatch failed = new CountDownLatch(1);
        Future<List<MessageRecord>> other = transactions().elsewhere(store -> {
            List<MessageRecord> claims = store.createAll(List.of(contended));
            created.countDown();
            TransactionBench.await(failed);
            return claims;
        });
        TransactionBench.await(created);
        try {
            assertThatThrownBy(() -> transactions().store().createAll(List.of(claim(contended.key(), "second"))))
                    .isInstanceOf(StoreUnavailableException.class);
        } finally {
            failed.countDown();
        }
        transactions().get(other);
    }
}
