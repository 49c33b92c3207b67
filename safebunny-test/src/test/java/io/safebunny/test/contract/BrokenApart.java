// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** One fault each against what is written apart, in {@link TransactionRules}. */
final class BrokenApart {

    private BrokenApart() {}

    /** Sound without an open transaction. */
    private abstract static class Within extends MemoryTransactions {

        Within(BrokenTransactionsContract contract) {
            super(contract.committed, contract.locks);
        }

        abstract <T> T apart(Transaction open, Supplier<T> action);

        final <T> T soundly(Supplier<T> action) {
            return super.apart(action);
        }

        @Override
        public <T> T apart(Supplier<T> action) {
            Transaction open = current.get();
            return open == null ? super.apart(action) : apart(open, action);
        }
    }

    @Breaks({
        "keepsWhatIsWrittenApartFromATransactionThatIsRolledBack",
        "undoesWhatFailsApartAndGoesOnWithTheTransaction"
    })
    static class JoinsTheOpenOne extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new Within(this) {
                @Override
                <T> T apart(Transaction open, Supplier<T> action) {
                    return action.get();
                }
            };
        }
    }

    @Breaks("keepsWhatIsWrittenApartFromATransactionThatIsRolledBack")
    static class NestsBySavepoint extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new Within(this) {
                @Override
                <T> T apart(Transaction open, Supplier<T> action) {
                    Map<RecordKey, MessageRecord> written = new HashMap<>(open.written);
                    List<Runnable> writes = new ArrayList<>(open.writes);
                    try {
                        return action.get();
                    } catch (RuntimeException failure) {
                        open.written.clear();
                        open.written.putAll(written);
                        open.writes.clear();
                        open.writes.addAll(writes);
                        throw failure;
                    }
                }
            };
        }
    }

    @Breaks("keepsWhatIsWrittenApartFromATransactionThatIsRolledBack")
    static class LeavesTheOpenOne extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new Within(this) {
                @Override
                <T> T apart(Transaction open, Supplier<T> action) {
                    current.remove();
                    return soundly(action);
                }
            };
        }
    }

    @Breaks("keepsWhatIsWrittenApartFromATransactionThatIsRolledBack")
    static class CommitsTheOpenOneToo extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new Within(this) {
                @Override
                <T> T apart(Transaction open, Supplier<T> action) {
                    T result = soundly(action);
                    open.writes.forEach(Runnable::run);
                    open.writes.clear();
                    return result;
                }
            };
        }
    }

    @Breaks("writesApartWithoutATransaction")
    static class InsistsOnATransaction extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                public <T> T apart(Supplier<T> action) {
                    Objects.requireNonNull(current.get(), "no transaction is open");
                    return super.apart(action);
                }
            };
        }
    }

    @Breaks("writesApartWithoutATransaction")
    static class CommitsNothingWithoutATransaction extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new MemoryTransactions(committed, locks) {
                @Override
                public <T> T apart(Supplier<T> action) {
                    if (current.get() != null) {
                        return super.apart(action);
                    }
                    LocalTransaction transaction = begin();
                    try {
                        return action.get();
                    } finally {
                        transaction.rollback();
                    }
                }
            };
        }
    }

    @Breaks("undoesWhatFailsApartAndGoesOnWithTheTransaction")
    static class CommitsWhatFailed extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new Within(this) {
                @Override
                <T> T apart(Transaction open, Supplier<T> action) {
                    current.remove();
                    LocalTransaction apart = begin();
                    try {
                        return action.get();
                    } finally {
                        apart.commit();
                        current.set(open);
                    }
                }
            };
        }
    }

    @Breaks("undoesWhatFailsApartAndGoesOnWithTheTransaction")
    static class FailsTheOpenOneToo extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new Within(this) {
                @Override
                <T> T apart(Transaction open, Supplier<T> action) {
                    try {
                        return soundly(action);
                    } catch (RuntimeException failure) {
                        open.writes.clear();
                        throw failure;
                    }
                }
            };
        }
    }

    @Breaks("undoesWhatFailsApartAndGoesOnWithTheTransaction")
    static class WrapsTheFailure extends BrokenTransactionsContract {
        @Override
        MemoryTransactions broken() {
            return new Within(this) {
                @Override
                <T> T apart(Transaction open, Supplier<T> action) {
                    try {
                        return soundly(action);
                    } catch (RuntimeException failure) {
                        throw new IllegalStateException("apart", failure);
                    }
                }
            };
        }
    }
}
