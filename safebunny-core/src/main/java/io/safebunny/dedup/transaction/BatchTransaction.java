// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.handling.Batch;
import io.safebunny.handling.Handling;
import io.safebunny.middleware.Next;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
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
    private final DedupLog log;
    /** Bound to the thread while the transaction ends, so that what its listeners publish is refused. */
    private Handling first;

    private Set<Handling> run = Set.of();
    private boolean commitTried;
    private @Nullable Throwable failure;

    BatchTransaction(ClaimedTogether claimed, DedupLog log) {
        this.claimed = claimed;
        this.log = log;
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
            run = Set.copyOf(together);
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    @Override
    public Map<Handling, Written> commit() {
        if (run.isEmpty()) {
            return Map.of();
        }
        LocalTransaction transaction = claimed.transaction();
        try {
            Map<Handling, Written> handled = complete();
            if (!transaction.isKnownToBeOpen()) {
                requireClaimsAreHeld(handled);
            }
            commitTried = true;
            boolean unused = first.end(() -> {
                first.transactionEnd().preventsCommitIfRefused();
                transaction.commit();
                return true;
            });
            TransactionalClaims.tellRefusal(log, first, null);
            log.answered();
            return handled;
        } catch (RuntimeException e) {
            failure = e;
            claimed.failed(log, e);
            return Map.of();
        }
    }

    /** Nothing is joined to these records: sagas and scheduled messages have handlers of their own. */
    private Map<Handling, Written> complete() {
        Map<Handling, Written> handled = new LinkedHashMap<>();
        claimed.records().forEach((handling, claim) -> {
            if (!run.contains(handling)) {
                MessageRecord unused = claimed.write(claim.next(RecordState.RELEASED));
                return;
            }
            List<OutboundMessage> publications = handling.collected();
            boolean isWritten = claim.state() == RecordState.DISPATCHED && publications.isEmpty();
            handled.put(
                    handling, new Written(isWritten ? claim : claimed.write(claim.completed(publications)), List.of()));
        });
        return handled;
    }

    /** One stands for all, as they are in one transaction. */
    private void requireClaimsAreHeld(Map<Handling, Written> handled) {
        Map.Entry<Handling, Written> one = handled.entrySet().iterator().next();
        new TransactionDiagnosis(claimed.store(), one.getKey())
                .requireHeld(Objects.requireNonNull(one.getValue().toSend()));
    }

    @Override
    public void close() {
        boolean mayBeCommitted = !commitTried && !claimed.transaction().isKnownToBeOpen();
        boolean unused = first.end(() -> {
            claimed.end(); // no effect once it is committed
            return true;
        });
        if (mayBeCommitted) {
            claimed.undoCommitted(log, Map.of());
        }
    }
}
