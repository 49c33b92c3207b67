// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.StoreUnavailableException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One fault each against two transactions and one record, in {@link TransactionRules}. */
final class BrokenWaiting {

    private BrokenWaiting() {}

    /** Creates, and has waited for another transaction to end. */
    private interface AfterWaiting {

        MessageRecord answer(
                @Nullable MessageRecord seenBefore, @Nullable MessageRecord committed, MessageRecord created);
    }

    private static MemoryTransactions afterWaiting(BrokenTransactionsContract contract, AfterWaiting fault) {
        return new MemoryTransactions(contract.committed, contract.locks) {
            @Override
            Transaction newTransaction() {
                return new Transaction() {
                    @Override
                    MessageRecord create(MessageRecord record) {
                        Transaction holder = contract.locks.holder(record.key());
                        MessageRecord before = holder == null ? null : holder.written.get(record.key());
                        if (!lock(record.key())) {
                            return super.create(record);
                        }
                        return fault.answer(before, find(record.key()), super.create(record));
                    }
                };
            }
        };
    }

    /** Creates, and the time to wait is up. */
    private static MemoryTransactions whenTheTimeIsUp(
            BrokenTransactionsContract contract, Function<MemoryTransactions.Transaction, MessageRecord> fault) {
        return new MemoryTransactions(contract.committed, contract.locks) {
            @Override
            Transaction newTransaction() {
                return new Transaction() {
                    @Override
                    MessageRecord create(MessageRecord record) {
                        try {
                            return super.create(record);
                        } catch (StoreUnavailableException e) {
                            Transaction holder = contract.locks.holder(record.key());
                            if (holder == null) {
                                throw e;
                            }
                            return fault.apply(holder);
                        }
                    }
                };
            }
        };
    }

    @Breaks({
        "letsAConcurrentCreateWaitAndSeeWhatIsCommitted",
        "letsAConcurrentCreateWaitAndCreateAfterARollback",
        "letsAConcurrentCreateWaitNoLongerThanItsTime"
    })
    static class AnswersWithWhatIsNotCommitted extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        MessageRecord create(MessageRecord record) {
                            Transaction holder = locks.holder(record.key());
                            MessageRecord dirty = holder == null ? null : holder.written.get(record.key());
                            return dirty == null ? super.create(record) : dirty;
                        }
                    };
                }
            };
        }
    }

    @Breaks("letsAConcurrentCreateWaitAndSeeWhatIsCommitted")
    static class AnswersAsItWasBefore extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return afterWaiting(
                    this, (before, committed, created) -> before == null || committed == null ? created : before);
        }
    }

    @Breaks("letsAConcurrentCreateWaitAndSeeWhatIsCommitted")
    static class RefusesToSeeWhatIsCompleted extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return afterWaiting(this, (before, committed, created) -> {
                if (created.state() == RecordState.COMPLETED) {
                    throw new StoreUnavailableException("could not serialize access", Duration.ZERO, null);
                }
                return created;
            });
        }
    }

    @Breaks("letsAConcurrentCreateWaitAndCreateAfterARollback")
    static class AnswersWithWhatWasRolledBack extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return afterWaiting(
                    this, (before, committed, created) -> before != null && committed == null ? before : created);
        }
    }

    @Breaks("letsAConcurrentCreateWaitAndCreateAfterARollback")
    static class FailsWithTheOneItWaitedFor extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return afterWaiting(this, (before, committed, created) -> {
                if (committed == null) {
                    throw new StoreUnavailableException("the other one was rolled back", Duration.ZERO, null);
                }
                return created;
            });
        }
    }

    @Breaks("letsAConcurrentCreateWaitNoLongerThanItsTime")
    static class WaitsForEver extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, patient);
        }

        private final MemoryTransactions.Locks patient = new MemoryTransactions.Locks(Duration.ofHours(1));
    }

    @Breaks("letsAConcurrentCreateWaitNoLongerThanItsTime")
    static class DoesNotSayWhenToComeBack extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return whenTheTimeIsUp(this, holder -> {
                throw new StoreUnavailableException("lock wait timeout", null, null);
            });
        }
    }

    @Breaks("letsAConcurrentCreateWaitNoLongerThanItsTime")
    static class FailsInAnotherWay extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return whenTheTimeIsUp(this, holder -> {
                throw new IllegalStateException("lock wait timeout");
            });
        }
    }

    @Breaks("letsAConcurrentCreateWaitNoLongerThanItsTime")
    static class TakesWhatIsNotCommittedInTheEnd extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return whenTheTimeIsUp(
                    this, holder -> holder.written.values().iterator().next());
        }
    }

    @Breaks("letsAConcurrentCreateWaitNoLongerThanItsTime")
    static class RollsBackTheOneItWaitedFor extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return whenTheTimeIsUp(this, holder -> {
                holder.writes.clear();
                throw new StoreUnavailableException("lock wait timeout", Duration.ofSeconds(1), null);
            });
        }
    }

    @Breaks("letsNoConcurrentReplacePassAnotherOne")
    static class ReplacesWithoutWaiting extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        @Nullable
                        MessageRecord replace(MessageRecord record) {
                            MessageRecord existing = find(record.key());
                            if (existing == null || existing.version() != record.version() - 1) {
                                return null;
                            }
                            written.put(record.key(), record);
                            writes.add(() -> committed.replace(record));
                            return record;
                        }
                    };
                }
            };
        }
    }

    @Breaks("letsNoConcurrentReplacePassAnotherOne")
    static class LooksBeforeItWaits extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        @Nullable
                        MessageRecord replace(MessageRecord record) {
                            MessageRecord before = find(record.key());
                            lock(record.key());
                            MessageRecord replaced = super.replace(record);
                            return before != null && before.version() == record.version() - 1 ? record : replaced;
                        }
                    };
                }
            };
        }
    }

    @Breaks("letsNoConcurrentReplacePassAnotherOne")
    static class UndoesTheReplaceThatIsWaitedFor extends BrokenTransactionsContract {
        private final Set<RecordKey> contended = ConcurrentHashMap.newKeySet();

        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                Transaction newTransaction() {
                    return new Transaction() {
                        @Override
                        @Nullable
                        MessageRecord replace(MessageRecord record) {
                            Transaction holder = locks.holder(record.key());
                            if (holder != null && holder != this) {
                                contended.add(record.key());
                            }
                            lock(record.key());
                            return contended.contains(record.key()) ? null : super.replace(record);
                        }

                        @Override
                        public void commit() {
                            if (written.keySet().stream().anyMatch(contended::contains)) {
                                writes.clear();
                            }
                            super.commit();
                        }
                    };
                }
            };
        }
    }
}
