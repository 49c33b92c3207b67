// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.JointWrite;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.test.contract.store.LockingStore.Transaction;
import io.safebunny.test.contract.store.MemoryTransactions.Locks;
import io.safebunny.test.contract.store.StoreFaults.Meeting;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Faults against {@link LockRules}. */
final class BrokenLocks extends TransactionFaults {

    private static final String SEES = "letsALockWaitAndSeeWhatIsCommitted";
    private static final String GOES_ON = "letsALockWaitAndGoOnAfterARollback";
    private static final String IN_TIME = "letsALockWaitNoLongerThanItsTime";

    BrokenLocks() {
        waits();
        misses();
    }

    private void waits() {
        within("locks nothing", List.of(SEES, GOES_ON, IN_TIME, "letsAWriterWaitForALock"), transaction -> transaction
                .on(Transaction::findAndLock)
                .instead((real, key) -> real.find(key)));
        within("finds it as it was before it waited", SEES, Transaction::findAndLock)
                .instead((real, key) -> {
                    MessageRecord before = real.find(key);
                    MessageRecord locked = real.findAndLock(key);
                    return before == null ? locked : before;
                });
        within("fails with the one it waited for to lock", GOES_ON, Transaction::findAndLock)
                .instead((real, key) -> {
                    MessageRecord before = real.find(key);
                    boolean waited = before != null && real.lock(key);
                    MessageRecord after = real.findAndLock(key);
                    if (waited && Objects.equals(after, before)) {
                        throw new StoreUnavailableException("the other one was rolled back", Duration.ZERO, null);
                    }
                    return after;
                });
        within("does not say when to come back for a lock", IN_TIME, Transaction::findAndLock)
                .instead((real, key) -> {
                    try {
                        return real.findAndLock(key);
                    } catch (StoreUnavailableException e) {
                        throw new StoreUnavailableException("lock wait timeout", null, e);
                    }
                });
        withinAll("keeps only other locks off", "letsAWriterWaitForALock", test -> {
            Locks advisory = new Locks(test.longestWait());
            return transaction -> {
                transaction.on(Transaction::findAndLock).instead((real, key) -> {
                    if (real.find(key) != null) {
                        boolean unused = advisory.acquire(key, real);
                    }
                    return real.find(key);
                });
                transaction.on(Transaction::commit).instead(real -> {
                    real.commit();
                    advisory.release(real);
                });
                transaction.on(Transaction::rollback).instead(real -> {
                    real.rollback();
                    advisory.release(real);
                });
            };
        });
    }

    private void misses() {
        within("reserves what is missing", "reservesNothingThatIsMissing", Transaction::findAndLock)
                .instead((real, key) -> {
                    boolean unused = real.lock(key);
                    return real.find(key);
                });
        withinAll("looks before it creates together", "letsOneOfManyCreateWhatAllHaveMissed", test -> {
            Meeting met = new Meeting();
            return transaction -> transaction.on(Transaction::writeTogether).instead((real, records) -> {
                MessageRecord first = records.get(0);
                boolean missed = records.size() == 1
                        && JointWrite.isCreated(first)
                        && first.listing() != null
                        && real.find(first.key()) == null;
                if (missed) {
                    met.meet(first.key());
                }
                JointWrite answer = real.writeTogether(records);
                return missed ? new JointWrite.Written(records) : answer;
            });
        });
        withinAll(
                "locks what is committed only",
                "locksWhatTheTransactionItselfHasWritten",
                test -> transaction -> transaction.on(Transaction::findAndLock).instead((real, key) -> {
                    MessageRecord unused = real.findAndLock(key);
                    return test.committed.find(key);
                }));
        fault("locks for a moment without a transaction", "locksOnlyInATransaction", LockingStore::findAndLock)
                .instead((real, key) -> real.current().get() == null ? real.find(key) : real.findAndLock(key));
    }
}
