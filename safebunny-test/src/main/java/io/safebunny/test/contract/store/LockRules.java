// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.key;
import static io.safebunny.test.contract.store.StoreBench.replaced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.MisuseException;
import io.safebunny.store.JointWrite;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A companion that a transaction finds stays locked until the transaction ends; a missing one is not locked. */
interface LockRules {

    StoreBench bench();

    TransactionBench transactions();

    @Test
    default void letsALockWaitAndSeeWhatIsCommitted() throws Exception {
        MessageRecord existing = transactions().store().create(companion("first"));

        transactions().begin();
        assertSame(transactions().store().findAndLock(existing.key()), existing);
        Future<MessageRecord> second = transactions().elsewhere(store -> locked(store, existing.key()));
        transactions().assertWaiting(second);
        MessageRecord changed = replaced(transactions().store(), existing.next(RecordState.RELEASED));
        transactions().commit();

        assertSame(transactions().get(second), changed);
    }

    @Test
    default void letsALockWaitAndGoOnAfterARollback() throws Exception {
        MessageRecord existing = transactions().store().create(companion("first"));

        transactions().begin();
        assertSame(transactions().store().findAndLock(existing.key()), existing);
        Future<MessageRecord> second = transactions()
                .elsewhere(
                        store -> replaced(store, locked(store, existing.key()).next(RecordState.RELEASED)));
        transactions().assertWaiting(second);
        transactions().rollback();

        MessageRecord expected = existing.next(RecordState.RELEASED);
        assertSame(transactions().get(second), expected);
        transactions().assertSeen(expected);
    }

    @Test
    default void letsALockWaitNoLongerThanItsTime() throws Exception {
        MessageRecord existing = transactions().store().create(companion("first"));

        transactions().begin();
        assertSame(transactions().store().findAndLock(existing.key()), existing);
        Future<MessageRecord> second = transactions().elsewhere(store -> locked(store, existing.key()));

        assertThat(transactions().failureOf(second))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        unavailable -> assertThat(unavailable.retryAfter()).isPositive());
        MessageRecord changed = replaced(transactions().store(), existing.next(RecordState.RELEASED));
        transactions().commit();
        transactions().assertSeen(changed);
    }

    @Test
    default void letsAWriterWaitForALock() throws Exception {
        MessageRecord existing = transactions().store().create(companion("first"));

        transactions().begin();
        assertSame(transactions().store().findAndLock(existing.key()), existing);
        Future<MessageRecord> second =
                transactions().elsewhere(store -> replaced(store, existing.next(RecordState.RELEASED)));
        transactions().assertWaiting(second);
        transactions().commit();

        assertSame(transactions().get(second), existing.next(RecordState.RELEASED));
        transactions().assertSeen(existing.next(RecordState.RELEASED));
    }

    @Test
    default void reservesNothingThatIsMissing() throws Exception {
        MessageRecord missing = companion("first");
        MessageRecord others = companion(missing.key(), "second");

        transactions().begin();
        assertThat(transactions().store().findAndLock(missing.key())).isNull();
        Future<MessageRecord> second = transactions().elsewhere(store -> {
            assertThat(store.findAndLock(missing.key())).isNull();
            return store.create(others);
        });
        assertSame(transactions().get(second), others);
        transactions().assertSeen(others);
        transactions().rollback();
    }

    @Test
    default void letsOneOfManyCreateWhatAllHaveMissed() throws Exception {
        RecordKey key = companion("first").key();

        List<Optional<MessageRecord>> created = bench().race(
                        racer -> created((TransactionalMessageStore) racer.store(), companion(key, racer.owner())));

        List<MessageRecord> winners = created.stream().flatMap(Optional::stream).toList();
        assertThat(winners).as("those who were told that they created it").hasSize(1);
        assertSame(transactions().get(transactions().elsewhere(store -> locked(store, key))), winners.get(0));
    }

    @Test
    default void locksWhatTheTransactionItselfHasWritten() throws Exception {
        transactions().begin();
        MessageRecord created = transactions().store().create(companion("first"));
        assertSame(transactions().store().findAndLock(created.key()), created);
        MessageRecord changed = replaced(transactions().store(), created.next(RecordState.RELEASED));
        assertSame(transactions().store().findAndLock(created.key()), changed);
        transactions().commit();

        transactions().assertSeen(changed);
    }

    @Test
    default void locksOnlyInATransaction() {
        MessageRecord existing = transactions().store().create(companion("first"));

        assertThatThrownBy(() -> transactions().store().findAndLock(existing.key()))
                .isInstanceOf(MisuseException.class);
    }

    // ---- details

    private static MessageRecord companion(String owner) {
        return companion(RecordKey.companion(key().correlationId(), "saga"), owner);
    }

    private static MessageRecord companion(RecordKey key, String owner) {
        Listing listing = new Listing("A", "RUNNING", Instant.EPOCH, Instant.EPOCH);
        return MessageRecord.companion(key, owner, listing, Map.of("saga", "{}"));
    }

    private static MessageRecord locked(TransactionalMessageStore store, RecordKey key) {
        return Objects.requireNonNull(store.findAndLock(key));
    }

    /** Creates the companion in a transaction; empty if another transaction created it first, or the database refused to wait. */
    private static Optional<MessageRecord> created(TransactionalMessageStore store, MessageRecord companion) {
        TransactionalMessageStore.LocalTransaction transaction = store.begin();
        try {
            if (store.findAndLock(companion.key()) == null
                    && store.writeTogether(List.of(companion)) instanceof JointWrite.Written) {
                transaction.commit();
                return Optional.of(companion);
            }
        } catch (StoreUnavailableException busy) {
            assertThat(busy.retryAfter()).isNotNull();
        } finally {
            transaction.rollback(); // without effect after the commit
        }
        return Optional.empty();
    }
}
