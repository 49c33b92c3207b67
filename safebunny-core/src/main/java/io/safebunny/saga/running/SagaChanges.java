// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.failure.MisuseException;
import io.safebunny.handling.publications.HandledTransactions;
import io.safebunny.saga.document.SagaDocument;

/**
 * Undoes what a method changed in its saga inside a transaction that is rolled back, as its publications are dropped, too. Confined to one
 * thread.
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

    /** Call it before each change. */
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
                torn = true; // a later change stays, because an inner transaction committed it
            }
        });
    }

    /** @throws MisuseException if what was rolled back cannot be taken out of the saga */
    void requireWhole() {
        if (torn) {
            throw new MisuseException(
                    MisuseException.SAGA,
                    "Saga %s %s was changed in a transaction that was rolled back, and later in an inner one that was committed: these changes can neither be kept nor undone together. Use one transaction to change the saga."
                            .formatted(saga.saga(), saga.id()));
        }
    }
}
