// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.failure.MisuseException;
import io.safebunny.store.JointWrite;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.test.contract.store.LockingStore.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/** Faults against what a transaction is, in {@link TransactionRules}. */
final class BrokenTransactions extends TransactionFaults {

    BrokenTransactions() {
        reads();
        ends();
        repeats();
        sizes();
        begins();
        threads();
    }

    private void reads() {
        faultIn(
                "writes together at once",
                "writesTogetherInTheTransaction",
                test -> store -> store.on(LockingStore::writeTogether)
                        .instead((real, records) -> isOfLane(records)
                                        || test.committed.find(records.get(0).key()) == null
                                ? real.writeTogether(records)
                                : test.committed.writeTogether(records)));
        fault(
                        "leaves a part in the transaction",
                        "changesNothingByACommitAfterAnOvertakenJointWrite",
                        LockingStore::writeTogether)
                .instead((real, records) -> {
                    JointWrite answer = real.writeTogether(records);
                    if (answer instanceof JointWrite.Overtaken
                            && records.size() == 2
                            && !BrokenLanes.isLane(records)
                            && records.get(0).version() > 1) {
                        real.writeTogether(records.subList(0, 1));
                    }
                    return answer;
                });

        List<String> dirty = List.of("showsToOthersWhatIsCommittedAndNothingBefore", "writesTogetherInTheTransaction");
        faultIn("shows records that are not committed", dirty, reading(false));
        faultIn("shows replaces that are not committed", dirty, reading(true));
        faultIn(
                "finds what is committed only",
                "seesItsOwnWritesInTheTransaction",
                test -> store -> store.on(LockingStore::find).instead((real, key) -> test.committed.find(key)));
    }

    /** What is written for many at once may fail or not: each fault breaks its own rule, always. */
    private static boolean isOfLane(List<MessageRecord> records) {
        return records.stream()
                .anyMatch(record ->
                        record.key().isShared() && record.key().messageId().startsWith("lane.", 1));
    }

    /** Reads what is not committed, of records that had been there or of those that had not. */
    private static Function<BrokenTransactionsContract, Consumer<Sabotage<LockingStore>>> reading(boolean existing) {
        return test -> store -> store.on(LockingStore::find).instead((real, key) -> {
            MessageRecord found = real.find(key);
            Transaction holder = test.locks.holder(key);
            if (holder == null || (found != null) != existing) {
                return found;
            }
            MessageRecord dirty = holder.written().get(key);
            return dirty == null ? found : dirty;
        });
    }

    private void ends() {
        within(
                "commits the first two writes",
                "showsToOthersWhatIsCommittedAndNothingBefore",
                transaction -> transaction.on(Transaction::commit).instead(real -> {
                    try {
                        real.writes().stream().limit(2).forEach(Runnable::run);
                    } finally {
                        real.end();
                    }
                }));

        List<String> undone = List.of("undoesCreatesAndReplacesByRollback", "writesTogetherInTheTransaction");
        withinAll(
                "keeps replaces",
                undone,
                test -> transaction -> transaction.on(Transaction::rollback).instead(real -> {
                    real.written().values().forEach(test.committed::replace);
                    real.end();
                }));
        withinAll(
                "keeps creates that were replaced",
                "undoesCreatesAndReplacesByRollback",
                test -> transaction -> transaction.on(Transaction::rollback).instead(real -> {
                    replacements(real).forEach(test.committed::create);
                    real.end();
                }));
        within("keeps the locks of what was replaced", undone, transaction -> transaction
                .on(Transaction::rollback)
                .instead(real -> {
                    real.end();
                    replacements(real).forEach(record -> real.lock(record.key()));
                }));
    }

    private static List<MessageRecord> replacements(Transaction transaction) {
        return transaction.written().values().stream()
                .filter(record -> record.version() > 1)
                .toList();
    }

    private void repeats() {
        within("creates over its own create", "seesItsOwnWritesInTheTransaction", Transaction::create)
                .instead((real, record) -> {
                    real.written().remove(record.key());
                    return real.create(record);
                });
        within("replaces one version twice", "seesItsOwnWritesInTheTransaction", Transaction::replace)
                .instead((real, record) -> {
                    MessageRecord own = real.written().get(record.key());
                    return own != null && own.version() == record.version() ? record : real.replace(record);
                });
        withinAll("fails after a duplicate key", "goesOnInATransactionThatMetAnExistingRecord", test -> transaction -> {
            AtomicBoolean failed = new AtomicBoolean();
            transaction.on(Transaction::create).instead((real, record) -> {
                if (failed.get()) {
                    throw new StoreUnavailableException("the transaction is aborted", null, null);
                }
                failed.set(test.committed.find(record.key()) != null);
                return real.create(record);
            });
        });
        withinAll(
                "commits nothing after a duplicate key",
                "goesOnInATransactionThatMetAnExistingRecord",
                test -> transaction -> {
                    AtomicBoolean failed = new AtomicBoolean();
                    transaction.on(Transaction::create).instead((real, record) -> {
                        failed.compareAndSet(false, test.committed.find(record.key()) != null);
                        return real.create(record);
                    });
                    transaction.on(Transaction::commit).instead(real -> {
                        if (failed.get()) {
                            real.writes().clear();
                        }
                        real.commit();
                    });
                });
    }

    private void sizes() {
        String rule = "goesOnInATransactionAfterARecordThatIsTooLarge";
        within("commits nothing after a record that is too large", rule, Transaction::replace)
                .instead((real, record) -> {
                    try {
                        return real.replace(record);
                    } catch (RecordTooLargeException e) {
                        real.abort();
                        throw e;
                    }
                });
        within("notices a large companion too late", rule, Transaction::writeTogether)
                .instead((real, records) -> {
                    try {
                        return real.writeTogether(records);
                    } catch (RecordTooLargeException e) {
                        real.writeTogether(records.subList(0, 1));
                        throw e;
                    }
                });
    }

    private void begins() {
        fault("begins by joining the open one", "beginsOneTransactionPerThreadAtATime", store -> store.on(
                        LockingStore::begin)
                .instead(real -> {
                    Transaction open = real.current().get();
                    return open == null ? real.begin() : open;
                }));
        fault("rolls back the open one", "beginsOneTransactionPerThreadAtATime", store -> store.on(LockingStore::begin)
                .instead(real -> {
                    Transaction open = real.current().get();
                    if (open != null) {
                        open.writes().clear();
                        open.rollback();
                        throw refusal();
                    }
                    return real.begin();
                }));
        fault("never begins again after a refusal", "beginsOneTransactionPerThreadAtATime", store -> {
            Set<Thread> refused = ConcurrentHashMap.newKeySet();
            store.on(LockingStore::begin).instead(real -> {
                if (real.current().get() != null || refused.contains(Thread.currentThread())) {
                    refused.add(Thread.currentThread());
                    throw refusal();
                }
                return real.begin();
            });
        });
        within("answers from what it remembers", "neverShowsAClaimWhoseTransactionTheDatabaseEnded", transaction -> {
            Map<RecordKey, MessageRecord> remembered = new HashMap<>();
            transaction.on(Transaction::abort).instead(real -> {
                remembered.putAll(real.written());
                real.abort();
            });
            transaction.on(Transaction::find).instead((real, key) -> {
                MessageRecord known = remembered.get(key);
                return known == null ? real.find(key) : known;
            });
        });
        faultIn("gives no turn back", "letsTheNextOneInWhenATurnEnds", test -> {
            Semaphore turns = new Semaphore(8);
            return store -> store.on(LockingStore::awaitPermit).instead(real -> {
                turns.acquire();
                return () -> {};
            });
        });
    }

    private static MisuseException refusal() {
        return new MisuseException(MisuseException.OPEN_TRANSACTION, "a transaction was open on this thread");
    }

    private void threads() {
        withinAll("commits what other threads wrote", "keepsTheTransactionsOfTwoThreadsApart", test -> {
            Map<Thread, Transaction> open = new ConcurrentHashMap<>();
            return transaction -> {
                transaction.on(Transaction::create).instead((real, record) -> {
                    open.putIfAbsent(Thread.currentThread(), real);
                    return real.create(record);
                });
                transaction.on(Transaction::commit).instead(real -> {
                    open.forEach((thread, other) -> {
                        if (thread != Thread.currentThread()) {
                            new ArrayList<>(other.writes()).forEach(Runnable::run);
                        }
                    });
                    open.values().remove(real);
                    real.commit();
                });
                transaction.on(Transaction::rollback).instead(real -> {
                    open.values().remove(real);
                    real.rollback();
                });
            };
        });
        faultIn("undoes what others committed since", "keepsTheTransactionsOfTwoThreadsApart", test -> {
            Map<RecordKey, Thread> writers = new ConcurrentHashMap<>();
            Set<RecordKey> undone = ConcurrentHashMap.newKeySet();
            test.eachTransaction = transaction -> {
                Set<RecordKey> before = new HashSet<>(writers.keySet());
                transaction.on(Transaction::commit).instead(real -> {
                    real.written().keySet().forEach(key -> writers.put(key, Thread.currentThread()));
                    real.commit();
                });
                transaction.on(Transaction::rollback).instead(real -> {
                    writers.forEach((key, writer) -> {
                        if (writer != Thread.currentThread() && !before.contains(key)) {
                            undone.add(key);
                        }
                    });
                    real.rollback();
                });
            };
            return store ->
                    store.on(LockingStore::find).instead((real, key) -> undone.contains(key) ? null : real.find(key));
        });
    }
}
