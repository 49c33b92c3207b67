// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.found;
import static io.safebunny.test.contract.store.StoreBench.key;
import static io.safebunny.test.contract.store.StoreBench.replaced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.failure.MisuseException;
import io.safebunny.store.JointWrite;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Claim and completion commit or roll back together with the transaction's other writes. All the other rules of a store cover writes
 * without a transaction, which are durable at once.
 */
interface TransactionRules {

    /** More than the number of connections that the fixture's stores have. */
    int MORE_THAN_CONNECTIONS = 50;

    TransactionBench transactions();

    // ---- what a transaction is

    @Test
    default void showsToOthersWhatIsCommittedAndNothingBefore() throws Exception {
        MessageRecord existing = transactions().store().create(claim(key(), "first"));
        MessageRecord claim = claim(key(), "first");

        transactions().begin();
        MessageRecord created = transactions().store().create(claim);
        MessageRecord replaced = replaced(transactions().store(), existing.next(RecordState.COMPLETED));
        MessageRecord completed = replaced(transactions().store(), created.next(RecordState.COMPLETED));
        transactions().assertNotSeen(claim.key());
        transactions().assertSeen(existing);
        transactions().commit();

        transactions().assertSeen(completed);
        transactions().assertSeen(replaced);
    }

    @Test
    default void writesTogetherInTheTransaction() throws Exception {
        MessageRecord existing = transactions().store().create(claim(key(), "first"));
        MessageRecord companion = claim(RecordKey.companion(existing.key().correlationId(), "saga"), "first");

        transactions().begin();
        assertThat(transactions().store().writeTogether(List.of(existing.next(RecordState.COMPLETED), companion)))
                .isInstanceOf(JointWrite.Written.class);
        transactions().assertSeen(existing);
        transactions().assertNotSeen(companion.key());
        transactions().rollback();
        transactions().assertSeen(existing);
        transactions().assertNotSeen(companion.key());

        transactions().begin();
        assertThat(transactions().store().writeTogether(List.of(existing.next(RecordState.COMPLETED), companion)))
                .isInstanceOf(JointWrite.Written.class);
        transactions().commit();
        transactions().assertSeen(existing.next(RecordState.COMPLETED));
        transactions().assertSeen(companion);
    }

    @Test
    default void changesNothingByACommitAfterAnOvertakenJointWrite() throws Exception {
        MessageRecord existing = transactions().store().create(claim(key(), "first"));
        MessageRecord missing = claim(RecordKey.companion(existing.key().correlationId(), "saga"), "first")
                .next(RecordState.CLAIMED);

        transactions().begin();
        assertThat(transactions().store().writeTogether(List.of(existing.next(RecordState.COMPLETED), missing)))
                .isEqualTo(new JointWrite.Overtaken(missing.key()));
        try {
            transactions().commit();
        } catch (RuntimeException e) {
            assertThat(e).as("a commit may throw").isNotNull();
        }

        transactions().assertSeen(existing);
        transactions().assertNotSeen(missing.key());
    }

    @Test
    default void undoesCreatesAndReplacesByRollback() throws Exception {
        MessageRecord existing = transactions().store().create(claim(key(), "first"));
        MessageRecord claim = claim(key(), "first");

        transactions().begin();
        MessageRecord created = transactions().store().create(claim);
        replaced(transactions().store(), created.next(RecordState.COMPLETED));
        replaced(transactions().store(), existing.next(RecordState.COMPLETED));
        transactions().rollback();

        transactions().assertNotSeen(claim.key());
        transactions().assertSeen(existing);
        replaced(transactions().store(), existing.next(RecordState.RELEASED));
        assertSame(transactions().store().create(claim), claim);
    }

    @Test
    default void seesItsOwnWritesInTheTransaction() throws Exception {
        transactions().begin();
        MessageRecord created = transactions().store().create(claim(key(), "first"));
        assertSame(transactions().store().find(created.key()), created);
        assertSame(transactions().store().create(claim(created.key(), "second")), created);
        MessageRecord found = found(transactions().store(), created.key());
        MessageRecord completed = replaced(transactions().store(), found.next(RecordState.COMPLETED));
        assertThat(transactions().store().replace(found.next(RecordState.RELEASED)))
                .isNull();
        transactions().commit();

        transactions().assertSeen(completed);
    }

    @Test
    default void goesOnInATransactionThatMetAnExistingRecord() throws Exception {
        MessageRecord existing = transactions().store().create(claim(key(), "first"));
        MessageRecord claim = claim(key(), "second");

        transactions().begin();
        assertSame(transactions().store().create(claim(existing.key(), "second")), existing);
        assertThat(transactions().store().replace(claim(key(), "second").next(RecordState.COMPLETED)))
                .isNull();
        transactions().store().create(claim);
        transactions().commit();

        transactions().assertSeen(existing);
        transactions().assertSeen(claim);
    }

    /** Whoever wrote it writes it once more, smaller. */
    @Test
    default void goesOnInATransactionAfterARecordThatIsTooLarge() throws Exception {
        long limit = transactions().largestContent();
        assumeTrue(limit > 0, "this store has no limit");
        MessageRecord claim = claim(key(), "first");
        MessageRecord companion = claim(RecordKey.companion(claim.key().correlationId(), "saga"), "first");
        Map<String, String> large = Map.of("large", "x".repeat(Math.toIntExact(limit)));

        transactions().begin();
        MessageRecord created = transactions().store().create(claim);
        MessageRecord completed = created.next(RecordState.COMPLETED);
        assertThatThrownBy(() -> transactions().store().replace(completed.withSteps(large)))
                .isInstanceOf(RecordTooLargeException.class);
        assertThatThrownBy(() -> transactions().store().writeTogether(List.of(completed, companion.withSteps(large))))
                .isInstanceOf(RecordTooLargeException.class);
        assertThat(transactions().store().writeTogether(List.of(completed, companion)))
                .isInstanceOf(JointWrite.Written.class);
        transactions().commit();

        transactions().assertSeen(completed);
        transactions().assertSeen(companion);
    }

    @Test
    default void beginsOneTransactionPerThreadAtATime() throws Exception {
        MessageRecord claim = claim(key(), "first");
        transactions().begin();
        transactions().store().create(claim);

        assertThatThrownBy(() -> transactions().store().begin()).isInstanceOf(MisuseException.class);

        transactions().commit();
        transactions().assertSeen(claim);
        transactions().begin();
        transactions().rollback();
    }

    @Test
    default void keepsTheTransactionsOfTwoThreadsApart() throws Exception {
        MessageRecord here = claim(key(), "first");
        MessageRecord there = claim(key(), "first");

        transactions().begin();
        transactions().store().create(here);
        transactions().get(transactions().elsewhere(store -> store.create(there)));
        transactions().assertSeen(there);
        transactions().rollback();

        transactions().assertSeen(there);
        transactions().assertNotSeen(here.key());
    }

    // ---- two transactions, one record

    @Test
    default void letsAConcurrentCreateWaitAndSeeWhatIsCommitted() throws Exception {
        RecordKey key = key();

        transactions().begin();
        MessageRecord created = transactions().store().create(claim(key, "first"));
        Future<MessageRecord> second = transactions().elsewhere(store -> store.create(claim(key, "second")));
        transactions().assertWaiting(second);
        MessageRecord completed = replaced(transactions().store(), created.next(RecordState.COMPLETED));
        transactions().commit();

        assertSame(transactions().get(second), completed);
        transactions().assertSeen(completed);
    }

    @Test
    default void letsAConcurrentCreateWaitAndCreateAfterARollback() throws Exception {
        RecordKey key = key();

        transactions().begin();
        transactions().store().create(claim(key, "first"));
        Future<MessageRecord> second = transactions().elsewhere(store -> store.create(claim(key, "second")));
        transactions().assertWaiting(second);
        transactions().rollback();

        assertSame(transactions().get(second), claim(key, "second"));
        transactions().assertSeen(claim(key, "second"));
    }

    @Test
    default void letsAConcurrentCreateWaitNoLongerThanItsTime() throws Exception {
        MessageRecord claim = claim(key(), "first");

        transactions().begin();
        transactions().store().create(claim);
        Future<MessageRecord> second = transactions().elsewhere(store -> store.create(claim(claim.key(), "second")));

        assertThat(transactions().failureOf(second))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        unavailable -> assertThat(unavailable.retryAfter()).isPositive());
        transactions().commit();
        transactions().assertSeen(claim);
    }

    @Test
    default void letsNoConcurrentReplacePassAnotherOne() throws Exception {
        MessageRecord existing = transactions().store().create(claim(key(), "first"));

        transactions().begin();
        MessageRecord completed = replaced(transactions().store(), existing.next(RecordState.COMPLETED));
        Future<Optional<MessageRecord>> second = transactions()
                .elsewhere(store -> Optional.ofNullable(store.replace(existing.next(RecordState.RELEASED))));
        transactions().assertWaiting(second);
        transactions().commit();

        try {
            assertThat(transactions().get(second)).isEmpty();
        } catch (ExecutionException refused) {
            assertThat(refused).hasCauseInstanceOf(StoreUnavailableException.class); // the database reported a conflict
        }
        transactions().assertSeen(completed);
    }

    // ---- a transaction that the database ends

    @Test
    default void neverShowsAClaimWhoseTransactionTheDatabaseEnded() throws Exception {
        RecordKey key = key();

        transactions().begin();
        transactions().store().create(claim(key, "first"));
        transactions().endByTheDatabase();
        assertSame(
                transactions().get(transactions().elsewhere(store -> store.create(claim(key, "second")))),
                claim(key, "second"));

        try {
            MessageRecord seen = transactions().store().find(key);
            assertThat(seen == null ? "nobody" : seen.owner()).isNotEqualTo("first");
        } catch (StoreUnavailableException told) {
            assertThat(told).isNotNull();
        }
        transactions().assertSeen(claim(key, "second"));
    }

    // ---- turns

    @Test
    default void letsTheNextOneInWhenATurnEnds() throws Exception {
        for (int message = 0; message < MORE_THAN_CONNECTIONS; message++) {
            RecordKey key = key();
            assertSame(
                    transactions().get(transactions().inTurn(store -> store.create(claim(key, "first")))),
                    claim(key, "first"));
        }
    }

    // ---- apart

    @Test
    default void keepsWhatIsWrittenApartFromATransactionThatIsRolledBack() throws Exception {
        MessageRecord within = claim(key(), "first");
        MessageRecord apart = claim(key(), "first");
        MessageRecord afterwards = claim(key(), "first");

        transactions().begin();
        transactions().store().create(within);
        MessageRecord answer = transactions()
                .store()
                .apart(() -> replaced(
                        transactions().store(),
                        transactions().store().create(apart).next(RecordState.RELEASED)));
        transactions().assertSeen(answer);
        transactions().store().create(afterwards);
        transactions().rollback();

        assertSame(answer, apart.next(RecordState.RELEASED));
        transactions().assertSeen(answer);
        transactions().assertNotSeen(within.key());
        transactions().assertNotSeen(afterwards.key());
    }

    @Test
    default void writesApartWithoutATransaction() throws Exception {
        MessageRecord apart = claim(key(), "first");

        assertSame(transactions().store().apart(() -> transactions().store().create(apart)), apart);

        transactions().assertSeen(apart);
    }

    @Test
    default void undoesWhatFailsApartAndGoesOnWithTheTransaction() throws Exception {
        MessageRecord within = claim(key(), "first");
        MessageRecord apart = claim(key(), "first");
        IllegalArgumentException failure = new IllegalArgumentException("on purpose");

        transactions().begin();
        transactions().store().create(within);
        assertThatThrownBy(() -> transactions().store().apart(() -> {
                    transactions().store().create(apart);
                    throw failure;
                }))
                .isSameAs(failure);
        transactions().commit();

        transactions().assertNotSeen(apart.key());
        transactions().assertSeen(within);
    }
}
