// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.test.contract.store.LockingStore.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Faults against two transactions and one record, in {@link TransactionRules}. */
final class BrokenWaiting extends TransactionFaults {

    private static final String SEES = "letsAConcurrentCreateWaitAndSeeWhatIsCommitted";
    private static final String CREATES = "letsAConcurrentCreateWaitAndCreateAfterARollback";
    private static final String IN_TIME = "letsAConcurrentCreateWaitNoLongerThanItsTime";
    private static final String IN_ORDER = "letsNoConcurrentReplacePassAnotherOne";

    BrokenWaiting() {
        creates();
        waits();
        replaces();
    }

    private void creates() {
        within("answers with what is not committed", List.of(SEES, CREATES, IN_TIME), transaction -> transaction
                .on(Transaction::create)
                .instead((real, record) -> {
                    MessageRecord dirty = writtenByTheHolder(real, record.key());
                    return dirty == null ? real.create(record) : dirty;
                }));
        within(
                "answers as it was before",
                SEES,
                afterWaiting((before, committed, created) -> before == null || committed == null ? created : before));
        within("refuses to see what is completed", SEES, afterWaiting((before, committed, created) -> {
            if (created.state() == RecordState.COMPLETED) {
                throw new StoreUnavailableException("could not serialize access", Duration.ZERO, null);
            }
            return created;
        }));
        within(
                "answers with what was rolled back",
                CREATES,
                afterWaiting((before, committed, created) -> before != null && committed == null ? before : created));
        within("fails with the one it waited for", CREATES, afterWaiting((before, committed, created) -> {
            if (committed == null) {
                throw new StoreUnavailableException("the other one was rolled back", Duration.ZERO, null);
            }
            return created;
        }));
    }

    private void waits() {
        within("waits for ever", IN_TIME, Transaction::create).instead((real, record) -> {
            while (true) {
                try {
                    return real.create(record);
                } catch (StoreUnavailableException e) {
                    if (Thread.currentThread().isInterrupted()) {
                        throw e;
                    }
                }
            }
        });
        within("does not say when to come back", IN_TIME, whenTheTimeIsUp(holder -> {
            throw new StoreUnavailableException("lock wait timeout", null, null);
        }));
        within("fails in another way", IN_TIME, whenTheTimeIsUp(holder -> {
            throw new IllegalStateException("lock wait timeout");
        }));
        within(
                "takes what is not committed in the end",
                IN_TIME,
                whenTheTimeIsUp(holder -> holder.written().values().iterator().next()));
        within("rolls back the one it waited for", IN_TIME, whenTheTimeIsUp(holder -> {
            holder.writes().clear();
            throw new StoreUnavailableException("lock wait timeout", Duration.ofSeconds(1), null);
        }));
    }

    private void replaces() {
        withinAll(
                "replaces without waiting",
                IN_ORDER,
                test -> transaction -> transaction.on(Transaction::replace).instead((real, record) -> {
                    if (writtenByTheHolder(real, record.key()) == null) {
                        return real.replace(record); // of a lock alone it knows
                    }
                    LimitedStore.requireSmall(record);
                    MessageRecord existing = real.find(record.key());
                    if (existing == null || existing.version() != record.version() - 1) {
                        return null;
                    }
                    real.written().put(record.key(), record);
                    real.writes().add(() -> test.committed.replace(record));
                    return record;
                }));
        within("looks before it waits", IN_ORDER, Transaction::replace).instead((real, record) -> {
            MessageRecord before = real.find(record.key());
            real.lock(record.key());
            MessageRecord replaced = real.replace(record);
            return before != null && before.version() == record.version() - 1 ? record : replaced;
        });
        withinAll("undoes the replace that is waited for", IN_ORDER, test -> {
            Set<RecordKey> contended = ConcurrentHashMap.newKeySet();
            return transaction -> {
                transaction.on(Transaction::replace).instead((real, record) -> {
                    Transaction holder = real.holder(record.key());
                    if (holder != null && holder != real && holder.written().containsKey(record.key())) {
                        contended.add(record.key());
                    }
                    real.lock(record.key());
                    return contended.contains(record.key()) ? null : real.replace(record);
                });
                transaction.on(Transaction::commit).instead(real -> {
                    if (real.written().keySet().stream().anyMatch(contended::contains)) {
                        real.writes().clear();
                    }
                    real.commit();
                });
            };
        });
    }

    /** Creates, and has waited for another transaction to end. */
    private interface AfterWaiting {
        MessageRecord answer(
                @Nullable MessageRecord seenBefore, @Nullable MessageRecord committed, MessageRecord created);
    }

    private static Consumer<Sabotage<Transaction>> afterWaiting(AfterWaiting fault) {
        return transaction -> transaction.on(Transaction::create).instead((real, record) -> {
            MessageRecord before = writtenByTheHolder(real, record.key());
            boolean waited = real.lock(record.key());
            return waited ? fault.answer(before, real.find(record.key()), real.create(record)) : real.create(record);
        });
    }

    private static @Nullable MessageRecord writtenByTheHolder(Transaction waiting, RecordKey key) {
        Transaction holder = waiting.holder(key);
        return holder == null ? null : holder.written().get(key);
    }

    /** Creates, and the time to wait is up. */
    private static Consumer<Sabotage<Transaction>> whenTheTimeIsUp(Function<Transaction, MessageRecord> fault) {
        return transaction -> transaction.on(Transaction::create).instead((real, record) -> {
            try {
                return real.create(record);
            } catch (StoreUnavailableException e) {
                Transaction holder = real.holder(record.key());
                if (holder == null) {
                    throw e;
                }
                return fault.apply(holder);
            }
        });
    }
}
