// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.dedup.claim.StoreFailures;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Batch;
import io.safebunny.handling.Handling;
import io.safebunny.middleware.Next;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One local transaction for a batch: all claims, one call of the handler, what it publishes for each message, one commit. All or nothing,
 * so it needs no savepoints. Confined to one thread.
 */
final class BatchTransaction implements SharedClaims {

    private final ClaimedTogether claimed;
    private final LocalTransaction transaction;
    private final DedupLog log;
    private final StoreFailures failures;

    /** Bound to the thread while the transaction ends, so that what its listeners publish is refused. */
    private Handling first;

    private List<Handling> run = List.of();
    private boolean commitTried;
    private boolean ended;
    /** By the handler itself, before it was undone. */
    private boolean mayBeCommitted;

    private @Nullable Throwable failure;

    BatchTransaction(ClaimedTogether claimed, DedupLog log, StoreFailures failures) {
        this.claimed = claimed;
        this.transaction = claimed.transaction();
        this.log = log;
        this.failures = failures;
        this.first = claimed.records().keySet().iterator().next();
    }

    @Override
    public boolean isClaimed(Handling handling) {
        return claimed.records().containsKey(handling);
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    @Override
    public @Nullable Throwable run(List<Handling> together, Next handler) {
        first = together.get(0);
        try {
            Batch.run(together, handler);
            run = together;
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    @Override
    public Map<Handling, Written> commit() {
        Map<Handling, Written> handled = new LinkedHashMap<>();
        if (run.isEmpty()) {
            return handled;
        }
        try {
            complete(handled);
            if (!transaction.isKnownToBeOpen()) {
                one().requireHeld(record(handled));
            }
            commitTried = true;
            end(() -> {
                first.transactionEnd().preventsCommitIfRefused();
                transaction.commit();
            });
            ended = true;
            log.answered();
            return handled;
        } catch (Throwable e) {
            failure = e;
            undo();
            if (e instanceof StoreUnavailableException unavailable) {
                failure = failure(unavailable);
            } else if (commitTried && one().isStored(record(handled), e)) {
                failure = null;
                TransactionalClaims.tellFailedCallback(log, first, e);
                return handled;
            }
            return Map.of();
        }
    }

    /** Nothing is joined to these records: sagas and scheduled messages have handlers of their own. */
    private void complete(Map<Handling, Written> handled) {
        Set<Handling> together = new HashSet<>(run);
        claimed.records().forEach((handling, claim) -> {
            if (!together.contains(handling)) {
                MessageRecord unused = claimed.write(claim.next(RecordState.RELEASED));
                return;
            }
            List<OutboundMessage> publications = handling.collected();
            boolean isWritten = claim.state() == RecordState.DISPATCHED && publications.isEmpty();
            handled.put(
                    handling, new Written(isWritten ? claim : claimed.write(claim.completed(publications)), List.of()));
        });
    }

    /** Whether the store is away, or one of the messages has made the transaction unusable. */
    private RuntimeException failure(StoreUnavailableException e) {
        return one().isAnswered() ? e : failures.noAnswer(first, e);
    }

    /** One stands for all, as they are in one transaction. */
    private TransactionDiagnosis one() {
        return new TransactionDiagnosis(claimed.store(), first);
    }

    private MessageRecord record(Map<Handling, Written> handled) {
        return Objects.requireNonNull(Objects.requireNonNull(handled.get(first)).toSend());
    }

    private void undo() {
        if (!ended) {
            ended = true;
            mayBeCommitted = !commitTried; // even if it is open: whoever commits may have begun another one
            end(transaction::rollback); // no effect if the commit has ended it
        }
    }

    private void end(Runnable action) {
        boolean unused = first.end(() -> {
            action.run();
            return true;
        });
        TransactionalClaims.tellRefusal(log, first, null);
    }

    /** If the store has not answered just now, it is not asked again for what the handler may have committed. */
    @Override
    public void close() {
        try {
            undo();
        } finally {
            claimed.permit().close();
        }
        boolean isAway = failure instanceof NotHandledException trouble && trouble.isTrouble();
        if (mayBeCommitted && !isAway) {
            claimed.undoCommitted(log, Map.of());
        }
    }
}
