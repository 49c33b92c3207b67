// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling.publications;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * What a handling collects in one transaction, which takes it along when it is rolled back, wholly or to a savepoint. Used by the thread
 * of the transaction; others may ask whether it is decided.
 */
final class TransactionShare implements TransactionSynchronization {

    private final HandledTransactions of;
    private final boolean isOwn;
    private final Consumer<Boolean> told;
    private final List<Runnable> undos = new ArrayList<>();
    private final List<Runnable> whenCommitted = new ArrayList<>();
    private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();
    private volatile boolean decided;

    /**
     * @param isOwn whether the handling itself begins and ends it, and decides what its end means
     * @param told whether it was committed, before any other listener hears of its end; may be called more than once
     */
    TransactionShare(HandledTransactions of, boolean isOwn, Consumer<Boolean> told) {
        this.of = of;
        this.isOwn = isOwn;
        this.told = told;
    }

    boolean isOf(HandledTransactions transactions) {
        return of == transactions;
    }

    boolean isOwn() {
        return isOwn;
    }

    /** Whether it is known what became of the transaction, or the handling sees to that. */
    boolean isDecided() {
        return decided || isOwn;
    }

    /** Must not throw. Those of later changes run first. */
    void onRollback(Runnable undo) {
        undos.add(undo);
    }

    void onCommit(Runnable action) {
        whenCommitted.add(action);
    }

    /** Before everybody else's, since they may publish and depend on how the transaction ended. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, undos.size());
    }

    /** An unknown savepoint is older than everything collected here. */
    @Override
    public void savepointRollback(Object savepoint) {
        undoTo(savepoints.getOrDefault(savepoint, 0));
    }

    @Override
    public void afterCommit() {
        told.accept(true);
    }

    @Override
    public void afterCompletion(int status) {
        told.accept(status == STATUS_COMMITTED);
        if (status == STATUS_ROLLED_BACK && !isOwn) {
            undoTo(0);
        }
        decided = status != STATUS_UNKNOWN;
        if (status == STATUS_COMMITTED) {
            runAll(whenCommitted);
        }
    }

    /** Runs all of them, even if one fails. */
    private static void runAll(List<Runnable> actions) {
        RuntimeException first = null;
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void undoTo(int size) {
        for (int i = undos.size() - 1; i >= size; i--) {
            undos.remove(i).run();
        }
    }
}
