// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.failure.MisuseException;
import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.StoreUnavailableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** One fault each against what a transaction is, in {@link TransactionRules}. */
final class BrokenTransactions {

    private BrokenTransactions() {}

    /** Reads what is not committed, of records that had been there or of those that had not. */
    private static final class DirtyReads extends MemoryTransactions {

        private final boolean existing;

        DirtyReads(BrokenTransactionsContract contract, boolean existing) {
            super(contract.committed, contract.locks);
            this.existing = existing;
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            MessageRecord found = super.find(key);
            Transaction holder = locks.holder(key);
            if (holder == null || (found != null) != existing) {
                return found;
            }
            MessageRecord dirty = holder.written.get(key);
            return dirty == null ? found : dirty;
        }
    }

    @Breaks("writesTogetherInTheTransaction")
    static class WritesTogetherAtOnce extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    return committed.writeTogether(records);
                }
            };
        }
    }

    @Breaks("changesNothingByACommitAfterAnOvertakenJointWrite")
    static class LeavesAPartInTheTransaction extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    JointWrite answer = super.writeTogether(records);
                    if (answer instanceof JointWrite.Overtaken
                            && records.size() == 2
                            && records.get(0).version() > 1) {
                        super.writeTogether(records.subList(0, 1));
                    }
                    return answer;
                }
            };
        }
    }

    @Breaks({"showsToOthersWhatIsCommittedAndNothingBefore", "writesTogetherInTheTransaction"})
    static class ShowsRecordsThatAreNotCommitted extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new DirtyReads(this, false);
        }
    }

    @Breaks({"showsToOthersWhatIsCommittedAndNothingBefore", "writesTogetherInTheTransaction"})
    static class ShowsReplacesThatAreNotCommitted extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new DirtyReads(this, true);
        }
    }

    @Breaks("showsToOthersWhatIsCommittedAndNothingBefore")
    static class CommitsTheFirstTwoWrites extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        public void commit() {
                            try {
                                writes.stream().limit(2).forEach(Runnable::run);
                            } finally {
                                end();
                            }
                        }
                    };
                }
            };
        }
    }

    @Breaks({"undoesCreatesAndReplacesByRollback", "writesTogetherInTheTransaction"})
    static class KeepsReplaces extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        public void rollback() {
                            written.values().forEach(committed::replace);
                            end();
                        }
                    };
                }
            };
        }
    }

    @Breaks("undoesCreatesAndReplacesByRollback")
    static class KeepsCreatesThatWereReplaced extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        public void rollback() {
                            written.values().stream()
                                    .filter(record -> record.version() > 1)
                                    .forEach(committed::create);
                            end();
                        }
                    };
                }
            };
        }
    }

    @Breaks({"undoesCreatesAndReplacesByRollback", "writesTogetherInTheTransaction"})
    static class KeepsTheLocksOfWhatWasReplaced extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        public void rollback() {
                            end();
                            written.values().stream()
                                    .filter(record -> record.version() > 1)
                                    .forEach(record -> lock(record.key()));
                        }
                    };
                }
            };
        }
    }

    @Breaks("seesItsOwnWritesInTheTransaction")
    static class FindsWhatIsCommittedOnly extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    return committed.find(key);
                }
            };
        }
    }

    @Breaks("seesItsOwnWritesInTheTransaction")
    static class CreatesOverItsOwnCreate extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        MessageRecord create(MessageRecord record) {
                            written.remove(record.key());
                            return super.create(record);
                        }
                    };
                }
            };
        }
    }

    @Breaks("seesItsOwnWritesInTheTransaction")
    static class ReplacesOneVersionTwice extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        @Nullable
                        MessageRecord replace(MessageRecord record) {
                            MessageRecord own = written.get(record.key());
                            return own != null && own.version() == record.version() ? record : super.replace(record);
                        }
                    };
                }
            };
        }
    }

    @Breaks("goesOnInATransactionThatMetAnExistingRecord")
    static class FailsAfterADuplicateKey extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        private boolean failed;

                        @Override
                        MessageRecord create(MessageRecord record) {
                            if (failed) {
                                throw new StoreUnavailableException("the transaction is aborted", null, null);
                            }
                            failed = committed.find(record.key()) != null;
                            return super.create(record);
                        }
                    };
                }
            };
        }
    }

    @Breaks("goesOnInATransactionThatMetAnExistingRecord")
    static class CommitsNothingAfterADuplicateKey extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        private boolean failed;

                        @Override
                        MessageRecord create(MessageRecord record) {
                            failed |= committed.find(record.key()) != null;
                            return super.create(record);
                        }

                        @Override
                        public void commit() {
                            if (failed) {
                                writes.clear();
                            }
                            super.commit();
                        }
                    };
                }
            };
        }
    }

    @Breaks("beginsOneTransactionPerThreadAtATime")
    static class JoinsTheOpenOne extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                public LocalTransaction begin() {
                    Transaction open = current.get();
                    return open == null ? super.begin() : open;
                }
            };
        }
    }

    @Breaks("beginsOneTransactionPerThreadAtATime")
    static class RollsBackTheOpenOne extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                public LocalTransaction begin() {
                    Transaction open = current.get();
                    if (open != null) {
                        open.writes.clear();
                        open.rollback();
                        throw new MisuseException(
                                MisuseException.OPEN_TRANSACTION, "a transaction was open on this thread");
                    }
                    return super.begin();
                }
            };
        }
    }

    @Breaks("beginsOneTransactionPerThreadAtATime")
    static class NeverBeginsAgainAfterARefusal extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            Set<Thread> refused = ConcurrentHashMap.newKeySet();
            return new MemoryTransactions(committed, locks) {
                @Override
                public LocalTransaction begin() {
                    if (current.get() != null || refused.contains(Thread.currentThread())) {
                        refused.add(Thread.currentThread());
                        throw new MisuseException(
                                MisuseException.OPEN_TRANSACTION, "a transaction is open on this thread");
                    }
                    return super.begin();
                }
            };
        }
    }

    @Breaks("neverShowsAClaimWhoseTransactionTheDatabaseEnded")
    static class AnswersFromWhatItRemembers extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        private final Map<RecordKey, MessageRecord> remembered = new HashMap<>();

                        @Override
                        void abort() {
                            remembered.putAll(written);
                            super.abort();
                        }

                        @Override
                        @Nullable
                        MessageRecord find(RecordKey key) {
                            MessageRecord known = remembered.get(key);
                            return known == null ? super.find(key) : known;
                        }
                    };
                }
            };
        }
    }

    @Breaks("letsTheNextOneInWhenATurnEnds")
    static class GivesNoTurnBack extends BrokenTransactionsContract {
        private final Semaphore turns = new Semaphore(8);

        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                public Turn awaitTurn() throws InterruptedException {
                    turns.acquire();
                    return () -> {};
                }
            };
        }
    }

    @Breaks("keepsTheTransactionsOfTwoThreadsApart")
    static class CommitsWhatOtherThreadsWrote extends BrokenTransactionsContract {
        private final Map<Thread, List<Runnable>> writesByThread = new ConcurrentHashMap<>();

        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    Transaction transaction = new Transaction() {
                        @Override
                        public void commit() {
                            writesByThread.forEach((thread, others) -> {
                                if (thread != Thread.currentThread()) {
                                    new ArrayList<>(others).forEach(Runnable::run);
                                }
                            });
                            super.commit();
                        }

                        @Override
                        void end() {
                            writesByThread.values().removeIf(all -> all == writes);
                            super.end();
                        }
                    };
                    writesByThread.putIfAbsent(Thread.currentThread(), transaction.writes);
                    return transaction;
                }
            };
        }
    }

    @Breaks("keepsTheTransactionsOfTwoThreadsApart")
    static class UndoesWhatOthersCommittedSince extends BrokenTransactionsContract {
        private final Map<RecordKey, Thread> writers = new ConcurrentHashMap<>();
        private final Set<RecordKey> undone = ConcurrentHashMap.newKeySet();

        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    Set<RecordKey> before = new HashSet<>(writers.keySet());
                    return new Transaction() {
                        @Override
                        public void commit() {
                            written.keySet().forEach(key -> writers.put(key, Thread.currentThread()));
                            super.commit();
                        }

                        @Override
                        public void rollback() {
                            writers.forEach((key, writer) -> {
                                if (writer != Thread.currentThread() && !before.contains(key)) {
                                    undone.add(key);
                                }
                            });
                            super.rollback();
                        }
                    };
                }

                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    return undone.contains(key) ? null : super.find(key);
                }
            };
        }
    }
}
