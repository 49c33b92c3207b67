// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.TransactionalMessageStore.Permit;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The transactions of one test: one on the test's thread, others on separate threads. For the test's thread only. */
final class TransactionBench {

    private final TransactionalStoreContract fixture;
    private @Nullable LocalTransaction open;

    TransactionBench(TransactionalStoreContract fixture) {
        this.fixture = fixture;
    }

    TransactionalMessageStore store() {
        return (TransactionalMessageStore) fixture.bench().store();
    }

    TransactionalMessageStore another() {
        return (TransactionalMessageStore) fixture.bench().another();
    }

    long largestContent() {
        return fixture.bench().largestContent();
    }

    Duration longestWait() {
        return fixture.longestWait();
    }

    /** Begins a transaction on the test's thread. It is rolled back at the end of the test at the latest. */
    void begin() {
        open = store().begin();
    }

    /** Skips the rule if the store does not share transactions. */
    void assumeShared() {
        assumeTrue(store().sharesTransactions(), "this store does not share transactions between messages");
    }

    void mark() {
        open().mark();
    }

    void returnToMark() {
        open().returnToMark();
    }

    boolean isKnownToBeOpen() {
        return open().isKnownToBeOpen();
    }

    void commit() {
        LocalTransaction transaction = ended();
        transaction.commit();
    }

    void rollback() {
        LocalTransaction transaction = ended();
        transaction.rollback();
    }

    /** Makes the database end the transaction of the test's thread without notice. */
    void endByTheDatabase() {
        fixture.endOpenTransaction();
    }

    private LocalTransaction open() {
        if (open == null) {
            throw new IllegalStateException("begin() comes first");
        }
        return open;
    }

    private LocalTransaction ended() {
        LocalTransaction transaction = open();
        open = null;
        return transaction;
    }

    /** Runs the action in a transaction of another instance, on a separate thread, and commits. */
    <T> Future<T> elsewhere(Function<TransactionalMessageStore, T> action) {
        TransactionalMessageStore store = another();
        return fixture.bench().elsewhere(() -> inTransaction(store, action));
    }

    /** On a separate thread and with one permit, rolls back a transaction, then runs the action in a second one and commits. */
    <T> Future<T> inTurn(Function<TransactionalMessageStore, T> action) {
        TransactionalMessageStore store = store();
        return fixture.bench().elsewhere(() -> {
            Permit turn = store.awaitPermit();
            try {
                store.begin().rollback();
                return inTransaction(store, action);
            } finally {
                turn.close();
            }
        });
    }

    private static <T> T inTransaction(TransactionalMessageStore store, Function<TransactionalMessageStore, T> action) {
        LocalTransaction transaction = store.begin();
        T result;
        try {
            result = action.apply(store);
        } catch (Throwable failure) {
            transaction.rollback();
            throw failure;
        }
        transaction.commit();
        return result;
    }

    /** The record as another instance without an open transaction sees it now. */
    @Nullable
    MessageRecord seen(RecordKey key) throws Exception {
        TransactionalMessageStore store = another();
        Callable<@Nullable MessageRecord> find = () -> store.find(key);
        return get(fixture.bench().elsewhere(find));
    }

    void assertSeen(MessageRecord expected) throws Exception {
        StoreBench.assertSame(seen(expected.key()), expected);
    }

    void assertNotSeen(RecordKey key) throws Exception {
        assertThat(seen(key)).as("what others see").isNull();
    }

    <T> T get(Future<T> future) throws Exception {
        return future.get(longestWait().plus(fixture.patience()).toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Checks that the action is still waiting after a third of the allowed time. */
    void assertWaiting(Future<?> future) {
        assertWaiting(future, longestWait().dividedBy(3));
    }

    /** Like {@link #assertWaiting}, for a create of many, which may wait for a shorter time than other operations. */
    void assertWaitingBriefly(Future<?> future) {
        assertWaiting(future, longestWait().dividedBy(8));
    }

    private static void assertWaiting(Future<?> future, Duration time) {
        assertThatThrownBy(() -> future.get(time.toMillis(), TimeUnit.MILLISECONDS))
                .as("it waits for the open transaction")
                .isInstanceOf(TimeoutException.class);
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    Throwable failureOf(Future<?> future) {
        try {
            Object result = get(future);
            throw new AssertionError("expected a failure, got " + result);
        } catch (ExecutionException failure) {
            return failure.getCause() == null ? failure : failure.getCause();
        } catch (Exception e) {
            throw new AssertionError("expected a failure of its own", e);
        }
    }

    void close() {
        if (open != null) {
            rollback();
        }
    }
}
