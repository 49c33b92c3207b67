// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling.publications;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The end of a handling's own transaction, and what its listeners publish: before and after the commit it is part of the message, at a
 * rollback it is refused. Listeners, and Spring, swallow exceptions, so the first refusal is kept: before the commit it prevents that,
 * later it is told. Confined to one thread.
 */
public final class TransactionEnd {

    private enum Phase {
        /** The handler or a middleware is running. */
        NOT_YET,
        /** The message's record is written, but not committed. */
        COMMITTING,
        COMMITTED,
        /** Also while it is being rolled back, and if the outcome of the commit is unknown. */
        ROLLED_BACK
    }

    private final String messageId;
    private final HandledTransactions transactions;
    private Phase phase = Phase.NOT_YET;
    private Consumer<OutboundMessage> record = publication -> {};
    private List<OutboundMessage> collected = List.of();
    private @Nullable RuntimeException refusal;

    public TransactionEnd(Envelope message, HandledTransactions transactions) {
        this.messageId = message.id();
        this.transactions = transactions;
    }

    public boolean hasBegun() {
        return phase != Phase.NOT_YET;
    }

    public void isOver() {
        phase = Phase.NOT_YET;
    }

    public void rollsBack() {
        phase = Phase.ROLLED_BACK;
    }

    /**
     * Called while the transaction is ended, when the record is complete, before it is committed: what listeners of the commit publish, before
     * and after it, is added to the record.
     *
     * @param addToRecord throws if it cannot
     */
    public void commits(Consumer<OutboundMessage> addToRecord) {
        record = addToRecord;
        phase = Phase.COMMITTING;
        transactions.lastBeforeCommit(this::requireNoneRefused);
    }

    /** From now on what is {@linkplain #keep refused} prevents the commit of the transaction that is open on this thread. */
    public void preventsCommitIfRefused() {
        transactions.lastBeforeCommit(this::requireNoneRefused);
    }

    /** The message would be handled without what a listener meant to do, whatever that listener makes of the exception. */
    private void requireNoneRefused() {
        RuntimeException refused = takeRefusal();
        if (refused != null) {
            throw refused;
        }
    }

    /** Called before the application's listeners. */
    void ended(boolean committed) {
        if (phase == Phase.COMMITTING || phase == Phase.COMMITTED) {
            phase = committed ? Phase.COMMITTED : Phase.ROLLED_BACK;
        }
    }

    /** Whether a publication belongs to a listener's own transaction, as the handling is already decided. */
    public boolean leavesToItsTransaction() {
        return (phase == Phase.COMMITTED || phase == Phase.ROLLED_BACK) && transactions.isInAnother();
    }

    /** @throws InvalidPublicationException the publication would be sent although the message was not handled */
    public void requirePublishing() {
        if (phase == Phase.ROLLED_BACK && !transactions.isInAnother()) {
            throw refused();
        }
    }

    /**
     * Adds the publication of a listener to the message's record; one made in a transaction of the listener's own once that is committed.
     *
     * @throws RuntimeException it is refused, or the store is
     */
    public void collect(OutboundMessage publication) {
        if (phase == Phase.ROLLED_BACK) {
            throw refused();
        }
        if (collected.isEmpty()) {
            collected = new ArrayList<>(1);
        }
        collected.add(publication);
        TransactionShare share = transactions.current();
        if (share == null || share.isOwn()) {
            add(publication);
        } else {
            Collected own = new Collected(publication, share);
            share.onRollback(() -> own.drop(null));
            share.onCommit(() -> {
                if (!own.isDropped()) {
                    addLate(publication);
                }
            });
        }
    }

    /** Only the watcher can be told: the caller already has the id. */
    private void addLate(OutboundMessage publication) {
        try {
            add(publication);
        } catch (RuntimeException e) {
            publication.ended(PublishOutcome.DROPPED, e);
            throw e;
        }
    }

    private void add(OutboundMessage publication) {
        try {
            record.accept(publication);
        } catch (RuntimeException e) {
            throw keep(e);
        }
    }

    /** Tells watchers of what listeners have published. */
    public void tell(PublishOutcome outcome, @Nullable Throwable failure) {
        for (OutboundMessage publication : collected) {
            publication.ended(outcome, failure);
        }
    }

    private RuntimeException refused() {
        return keep(new InvalidPublicationException(
                "A listener publishes at the rollback of message %s: nothing of a message that is not handled is sent. Use publishNow; or publish in a transaction of the listener's own (REQUIRES_NEW) and have an outbox."
                        .formatted(messageId)));
    }

    /**
     * @param what is done, the beginning of a sentence
     * @throws MisuseException a listener of the transaction's end does it
     */
    public void requireNotBegun(String what, String code) {
        if (hasBegun()) {
            throw keep(
                    new MisuseException(
                            code,
                            what
                                    + " by a listener of its transaction: too late, the handler has returned. Do it in the handler."));
        }
    }

    /** Keeps the first refusal to be reported later; returns the failure. */
    public RuntimeException keep(RuntimeException failure) {
        if (refusal == null) {
            refusal = failure;
        }
        return failure;
    }

    /** The first refusal since the last call, which Spring may have swallowed; {@code null} for none. */
    public @Nullable RuntimeException takeRefusal() {
        RuntimeException taken = refusal;
        refusal = null;
        return taken;
    }
}
