// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.handling.publications.HandledTransactions;
import io.safebunny.handling.publications.Publications;
import io.safebunny.handling.publications.TransactionEnd;
import io.safebunny.middleware.Next;
import io.safebunny.store.record.MessageRecord;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one handling. Only the last one counts: each new one first discards the publications and the transaction of the one
 * before, and resets the ordinals, so that the same code publishes the same ids. Confined to one thread.
 */
final class HandlingAttempts {

    private final Steps steps;
    private final Publications publications;
    private final HandledTransactions transactions;
    private final TransactionEnd end;
    private Publications.@Nullable Mark before;
    /** By the latest one. */
    private JointRecords joined = JointRecords.NONE;

    HandlingAttempts(Steps steps, Publications publications, HandledTransactions transactions, TransactionEnd end) {
        this.steps = steps;
        this.publications = publications;
        this.transactions = transactions;
        this.end = end;
    }

    /**
     * Runs one. Publications of a failed attempt are discarded at once.
     *
     * @throws Exception the handler's failure, unless a step is in doubt: see {@link Steps#requireUndecided()}
     */
    void run(Next handler) throws Exception {
        Publications.Mark begun = begin();
        try {
            handler.run();
            steps.requireUndecided();
        } catch (Throwable failure) {
            publications.returnTo(begun, failure);
            joined = JointRecords.NONE;
            steps.requireUndecided();
            throw failure;
        }
    }

    private Publications.Mark begin() {
        Publications.Mark begun = before;
        if (begun == null) {
            steps.requireUndecided();
            begun = publications.mark();
            before = begun;
        } else {
            startOver(begun);
        }
        return begun;
    }

    /**
     * Undoes a failed attempt, so that what follows is not part of it.
     *
     * @throws RuntimeException the verdict with which the handling ends, whatever else happens
     */
    void undo() {
        Publications.Mark begun = before;
        if (begun != null) {
            startOver(begun);
            before = null;
        }
    }

    private void startOver(Publications.Mark begun) {
        try {
            end.rollsBack();
            beginStepsAgain();
        } finally {
            end.isOver();
            publications.returnTo(begun, null);
            joined = JointRecords.NONE;
        }
    }

    /** Discards everything, before the message runs again from the start. */
    void startAgain() {
        before = null;
        end.isOver(); // the transaction that was ended is not the one that the next run is part of
        joined = JointRecords.NONE;
        try {
            steps.forgetErasure();
            beginStepsAgain();
        } finally {
            publications.clear();
        }
    }

    private void beginStepsAgain() {
        steps.beginAgain();
        transactions.adopt(end);
    }

    void join(MessageRecord record) {
        joined = joined.with(record);
    }

    void whenWritten(Runnable action) {
        joined = joined.andThen(action);
    }

    JointRecords joined() {
        return joined;
    }
}
