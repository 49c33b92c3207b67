// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.failure.MisuseException;
import io.safebunny.handling.publications.HandledTransactions;
import io.safebunny.saga.document.SagaDocument;

/**
 * When a method of a saga changes the saga inside a transaction that is rolled back, undoes these changes, just as the publications are
 * dropped. Confined to one thread.
 */
final class SagaChanges {

    private final SagaDocument saga;
    private final HandledTransactions transactions;
    private int made;
    private boolean torn;

    SagaChanges(SagaDocument saga, HandledTransactions transactions) {
        this.saga = saga;
        this.transactions = transactions;
    }

    /** Call before each change. */
    void next() {
        if (!transactions.isInOne()) {
            made++;
            return;
        }
        Runnable undo = saga.undo();
        int number = ++made;
        transactions.onRollback(() -> {
            if (made == number) {
                undo.run();
                made--;
            } else {
                torn = true; // a later change was committed by an inner transaction
            }
        });
    }

    /** @throws MisuseException if changes that were rolled back cannot be removed from the saga */
    void requireWhole() {
        if (torn) {
            throw new MisuseException(
                    MisuseException.SAGA,
                    "Saga %s %s was changed in a transaction that was rolled back, and later in an inner one that was committed: these changes can neither be kept nor undone together. Use one transaction to change the saga."
                            .formatted(saga.saga(), saga.id()));
        }
    }
}
