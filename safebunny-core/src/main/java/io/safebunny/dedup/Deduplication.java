// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.claim.Claimed;
import io.safebunny.dedup.claim.Claimed.Done;
import io.safebunny.dedup.claim.Claims;
import io.safebunny.dedup.claim.LaneGate;
import io.safebunny.dedup.claim.Ownership;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.dedup.claim.StoreFailures;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.dedup.dispatch.Dispatching;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.dedup.lease.LeasedClaims;
import io.safebunny.dedup.transaction.TransactionalClaims;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.Metrics;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a message be handled at most once to completion: claim, run, complete with the collected publications, send, mark as sent.
 * A handler that fails releases its claim and publishes nothing. Thread-safe.
 *
 * <p>The claim is a conditional write, or, where the store shares a local transaction with the handler, the lock on an
 * uncommitted record.
 */
public final class Deduplication implements Claims {

    private static final Logger LOG = LoggerFactory.getLogger(Deduplication.class);

    private final Metrics metrics;
    private final DedupLog log;
    private final Claims claims;
    private final LaneGate gate;
    private final Dispatching dispatching;

    /** @param node with a store */
    public Deduplication(Node node) {
        this.metrics = node.metrics();
        this.log = new DedupLog(node.log());
        Ownership ownership = new Ownership(node, log);
        this.claims = node.requireStore() instanceof TransactionalMessageStore transactional
                ? new TransactionalClaims(transactional, node.timeline(), log, ownership)
                : new LeasedClaims(node, log, ownership);
        this.gate = new LaneGate(node, ownership, new StoreFailures(log));
        this.dispatching = new Dispatching(node, log, StoreFailures.COMES_BACK);
    }

    /** Starts renewing the claims of long-running handlers, and sweeping, until {@link #stop}. */
    @Override
    public void start() {
        claims.start();
        dispatching.start();
    }

    /** Handled messages whose publications the broker does not accept. */
    public WaitingPublications waiting() {
        return dispatching.waiting();
    }

    /** Stops the background work and writes the pending marks. Call it when no message is being handled any more. */
    @Override
    public void stop() {
        claims.stop();
        dispatching.stop();
    }

    @Override
    public Claimed claim(Handling handling) {
        Claimed claimed = handling.turn() == null ? claims.claim(handling) : gate.claim(handling, claims::claim);
        if (!(claimed instanceof Done done)) {
            return claimed;
        }
        suppressed(handling.message(), done.record());
        // when it is sent already, only the mark that says so is still pending
        return dispatching.isSent(done.record().key()) ? new Done(done.record().dispatched()) : done;
    }

    @Override
    public boolean canShare() {
        return claims.canShare();
    }

    @Override
    public @Nullable SharedClaims claimTogether(List<Handling> messages) {
        return claims.claimTogether(messages);
    }

    @Override
    public @Nullable SharedClaims claimBatch(List<Handling> messages) {
        return claims.claimBatch(messages);
    }

    @Override
    public @Nullable NotHandledException send(MessageRecord record) {
        return record.state() == RecordState.COMPLETED ? dispatching.send(record) : null;
    }

    /** This delivery is not handled, because the message has been, or must not be any more. */
    private void suppressed(Envelope message, MessageRecord record) {
        metrics.duplicateSuppressed(message.type());
        if (record.state() == RecordState.UNDONE) {
            log.tell(
                    Subject.info(LOG, "Messages are not handled because they were undone"),
                    message.id(),
                    () -> LOG.info(
                            "Message {} is not handled: it is a step that was undone [correlation_id={}, type={}]",
                            message.id(),
                            message.correlationId(),
                            message.type()));
            return;
        }
        LOG.debug(
                "Suppressed a duplicate of message {} [correlation_id={}, type={}]",
                message.id(),
                message.correlationId(),
                message.type());
    }
}
