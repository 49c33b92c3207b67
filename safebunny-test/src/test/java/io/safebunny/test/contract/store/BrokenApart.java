// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.test.contract.bites.Sabotage.Answer1;
import io.safebunny.test.contract.store.LockingStore.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Faults against what is written apart, in {@link TransactionRules}. */
final class BrokenApart extends TransactionFaults {

    private static final String KEEPS = "keepsWhatIsWrittenApartFromATransactionThatIsRolledBack";
    private static final String ALONE = "writesApartWithoutATransaction";
    private static final String FAILS = "undoesWhatFailsApartAndGoesOnWithTheTransaction";

    /** A reference to a generic method does not tell by itself whether its result matters. */
    private static final Answer1<LockingStore, Supplier<Object>, Object> APART = LockingStore::apart;

    BrokenApart() {
        fault("writes apart in the open one", List.of(KEEPS, FAILS), beside((real, open, action) -> action.get()));
        fault("nests by savepoint", KEEPS, beside((real, open, action) -> {
            Map<RecordKey, MessageRecord> written = new HashMap<>(open.written());
            List<Runnable> writes = new ArrayList<>(open.writes());
            try {
                return action.get();
            } catch (RuntimeException failure) {
                open.written().clear();
                open.written().putAll(written);
                open.writes().clear();
                open.writes().addAll(writes);
                throw failure;
            }
        }));
        fault("leaves the open one", KEEPS, beside((real, open, action) -> {
            real.current().remove();
            return real.apart(action);
        }));
        fault("commits the open one too", KEEPS, beside((real, open, action) -> {
            Object result = real.apart(action);
            open.writes().forEach(Runnable::run);
            open.writes().clear();
            return result;
        }));
        fault("insists on a transaction", ALONE, APART).instead((real, action) -> {
            Objects.requireNonNull(real.current().get(), "no transaction is open");
            return real.apart(action);
        });
        fault("commits nothing without a transaction", ALONE, APART).instead((real, action) -> {
            if (real.current().get() != null) {
                return real.apart(action);
            }
            LocalTransaction transaction = real.begin();
            try {
                return action.get();
            } finally {
                transaction.rollback();
            }
        });
        fault("commits what failed", FAILS, beside((real, open, action) -> {
            real.current().remove();
            LocalTransaction apart = real.begin();
            try {
                return action.get();
            } finally {
                apart.commit();
                real.current().set(open);
            }
        }));
        fault("fails the open one too", FAILS, beside((real, open, action) -> {
            try {
                return real.apart(action);
            } catch (RuntimeException failure) {
                open.writes().clear();
                throw failure;
            }
        }));
        fault("wraps the failure", FAILS, beside((real, open, action) -> {
            try {
                return real.apart(action);
            } catch (RuntimeException failure) {
                throw new IllegalStateException("apart", failure);
            }
        }));
    }

    private interface Beside {
        Object apart(LockingStore real, Transaction open, Supplier<Object> action);
    }

    /** Sound without an open transaction. */
    private static Consumer<Sabotage<LockingStore>> beside(Beside fault) {
        return store -> store.on(APART).instead((real, action) -> {
            Transaction open = real.current().get();
            return open == null ? real.apart(action) : fault.apart(real, open, action);
        });
    }
}
