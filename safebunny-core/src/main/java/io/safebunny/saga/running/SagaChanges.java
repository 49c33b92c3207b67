// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.failure.MisuseException;
import io.safebunny.handling.publications.HandledTransactions;
import io.safebunny.saga.document.SagaDocument;

/**
 * What a method has done to its saga so far, to be undone with the transactions in which it was done: their publications are dropped too.
 * Confined to one thread.
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

    /** To be called before each change. */
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
                torn = true; // a later one stays, in an inner transaction that is committed
            }
        });
    }

    /** @throws MisuseException what has been rolled back cannot be taken out of the saga */
    void requireWhole() {
        if (torn) {
            throw new MisuseException(
                    MisuseException.SAGA,
                    "Saga %s %s was changed in a transaction that is rolled back, and after it in an inner one that is committed: neither all of it can be kept nor nothing. Change the saga in one transaction."
                            .formatted(saga.saga(), saga.id()));
        }
    }
}
