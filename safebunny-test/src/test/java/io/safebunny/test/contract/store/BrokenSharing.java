// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.test.contract.store.LockingStore.Transaction;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Faults against {@link SharedTransactionRules}. */
final class BrokenSharing extends TransactionFaults {

    private static final String LAST_MARK = "returnsToTheLastOfItsMarks";
    private static final String AGAIN = "returnsToOneMarkAgainAndAgain";
    private static final String OPEN = "isKnownToBeOpenAtAMark";

    BrokenSharing() {
        fault("shares what may end unnoticed", "endsKnowinglyIfItSharesTransactions", store -> store.on(
                        LockingStore::endsKnowingly)
                .instead(real -> false));
        creates();
        marks();
        failures();
    }

    private void creates() {
        within("creates none of many if one exists", "createsTheMissingOnesOfMany", Transaction::createAll)
                .instead((real, records) -> records.stream().anyMatch(record -> real.find(record.key()) != null)
                        ? List.of()
                        : real.createAll(records));
        within(
                        "takes for created what is committed meanwhile",
                        "letsACreateOfManyWaitAndLeaveOutWhatIsCommitted",
                        Transaction::createAll)
                .instead((real, records) -> {
                    boolean waits = records.size() == 2 && isWaitingFor(real, records.get(0));
                    List<MessageRecord> created = real.createAll(records);
                    return waits ? records : created;
                });
        within(
                        "leaves out what it has waited for",
                        "letsACreateOfManyWaitAndCreateAllAfterARollback",
                        Transaction::createAll)
                .instead((real, records) -> {
                    if (records.size() == 2 && isWaitingFor(real, records.get(0))) {
                        boolean unused = real.lock(records.get(0).key());
                        return real.createAll(records.subList(1, 2));
                    }
                    return real.createAll(records);
                });
        within(
                        "does not say when to come back for many",
                        "letsACreateOfManyWaitNoLongerThanItsTime",
                        Transaction::createAll)
                .instead((real, records) -> {
                    try {
                        return real.createAll(records);
                    } catch (StoreUnavailableException e) {
                        throw new StoreUnavailableException("lock wait timeout", null, e);
                    }
                });
        within("creates many in the order given", "createsManyInAnOrderOfItsOwn", Transaction::createAll)
                .instead((real, records) -> {
                    records.forEach(record -> real.lock(record.key()));
                    return real.createAll(records);
                });
    }

    private static boolean isWaitingFor(Transaction transaction, MessageRecord record) {
        Transaction holder = transaction.holder(record.key());
        return holder != null && holder != transaction;
    }

    private void marks() {
        withinAll(
                "undoes creates only",
                "undoesWhatWasWrittenSinceTheMark",
                test -> transaction -> transaction.on(Transaction::returnToMark).instead(real -> {
                    List<MessageRecord> replaced = real.written().values().stream()
                            .filter(record -> record.version() > 1)
                            .toList();
                    real.returnToMark();
                    replaced.forEach(record -> real.writes().add(() -> test.committed.replace(record)));
                }));
        within("returns to the first of its marks", LAST_MARK, transaction -> {
            AtomicInteger writes = new AtomicInteger(-1);
            transaction.on(Transaction::mark).instead(real -> {
                real.mark();
                writes.compareAndSet(-1, real.writes().size());
            });
            transaction.on(Transaction::returnToMark).instead(real -> {
                real.returnToMark();
                real.writes().subList(writes.get(), real.writes().size()).clear();
            });
        });
        within("gives up its mark when it returns", AGAIN, transaction -> {
            AtomicBoolean marked = new AtomicBoolean();
            transaction.on(Transaction::mark).instead(real -> {
                real.mark();
                marked.set(true);
            });
            transaction.on(Transaction::returnToMark).instead(real -> {
                if (!marked.getAndSet(false)) {
                    throw new IllegalStateException("savepoint does not exist");
                }
                real.returnToMark();
            });
        });
        within("commits at each mark", "undoesWhatIsMarkedByRollback", transaction -> transaction
                .on(Transaction::mark)
                .instead(real -> {
                    real.writes().forEach(Runnable::run);
                    real.writes().clear();
                    real.mark();
                }));
        withinAll(
                "gives up its locks when it returns",
                "keepsWhatItLockedBeforeTheMarkItReturnsTo",
                test -> transaction -> transaction.on(Transaction::returnToMark).instead(real -> {
                    real.returnToMark();
                    test.locks.release(real);
                }));
    }

    private void failures() {
        within("marks what has failed", "refusesAMarkAfterAFailure", transaction -> transaction
                .on(Transaction::mark)
                .instead(real -> {
                    try {
                        real.mark();
                    } catch (IllegalStateException e) {
                        real.returnToMark();
                    }
                }));
        within("has failed for good", "goesOnFromTheMarkAfterAFailure", transaction -> {
            AtomicBoolean failed = new AtomicBoolean();
            transaction.on(Transaction::createAll).instead((real, records) -> {
                try {
                    return real.createAll(records);
                } catch (StoreUnavailableException e) {
                    failed.set(true);
                    throw e;
                }
            });
            transaction.on(Transaction::commit).instead(real -> {
                if (failed.get()) {
                    throw new IllegalStateException("current transaction is aborted");
                }
                real.commit();
            });
        });
        within("never knows that it is open", OPEN, transaction -> transaction
                .on(Transaction::isKnownToBeOpen)
                .instead(real -> false));
        within(
                "marks what the database has ended",
                "refusesAMarkOnceTheDatabaseHasEndedTheTransaction",
                transaction -> transaction.on(Transaction::mark).instead(real -> {
                    try {
                        real.mark();
                    } catch (StoreUnavailableException e) {
                        real.writes().clear();
                    }
                }));
        within(
                "returns in what the database has ended",
                "returnsToNoMarkOnceTheDatabaseHasEndedTheTransaction",
                transaction -> transaction.on(Transaction::returnToMark).instead(real -> {
                    try {
                        real.returnToMark();
                    } catch (StoreUnavailableException e) {
                        real.writes().clear();
                    }
                }));
    }
}
