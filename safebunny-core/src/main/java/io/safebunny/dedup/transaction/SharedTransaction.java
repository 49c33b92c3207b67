// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.dedup.claim.Ownership;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.handling.HandlerStore;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Run;
import io.safebunny.handling.publications.HandledTransactions;
import io.safebunny.middleware.Next;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.store.BrokenTransactionException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.TransactionalMessageStore.Permit;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One local transaction for several messages: all claims, then each handler behind a savepoint with what it publishes, one commit. A claim
 * is written as handled, so that of a message which leaves is written again, as released, before the commit. Confined to one thread.
 */
final class SharedTransaction implements SharedClaims {

    private static final Logger LOG = LoggerFactory.getLogger(SharedTransaction.class);

    private final TransactionalMessageStore store;
    private final DedupLog log;
    private final Permit permit;
    private final LocalTransaction transaction;
    private final Map<Handling, MessageRecord> claims;
    private final int listeners;
    /** Their records as they will be committed. */
    private final Map<Handling, MessageRecord> handled = new LinkedHashMap<>();

    private boolean broken;
    private boolean commitTried;
    private @Nullable String unshareable;
    /** What the handler that is running did, and must not do here, whatever it makes of the exception. */
    private @Nullable String needsItsOwn;

    private SharedTransaction(
            TransactionalMessageStore store,
            DedupLog log,
            Permit permit,
            LocalTransaction transaction,
            Map<Handling, MessageRecord> claims) {
        this.store = store;
        this.log = log;
        this.permit = permit;
        this.transaction = transaction;
        this.claims = claims;
        HandledTransactions.refuseSuspension(this::refuseSuspension);
        this.listeners = HandledTransactions.countListeners();
    }

    /** Beside it, a handler would wait for the locks of others in its group, which its own thread holds: no database notices that. */
    private void refuseSuspension() {
        needsItsOwn = "suspends the transaction (REQUIRES_NEW, NOT_SUPPORTED)";
        throw NotHandledException.later(
                "A message that shares a transaction needs one beside it, and so one of its own", Duration.ZERO);
    }

    /** {@code null} if that fails, or none of them can be claimed: handled on its own, each finds out why. */
    static @Nullable SharedClaims begin(
            TransactionalMessageStore store, Ownership ownership, DedupLog log, List<Handling> messages) {
        Permit permit;
        try {
            permit = store.awaitPermit();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
        LocalTransaction transaction = null;
        SharedClaims begun = null;
        try {
            transaction = store.begin();
            Map<Handling, MessageRecord> claims = claim(store, ownership, messages);
            if (!claims.isEmpty()) {
                transaction.mark();
                begun = new SharedTransaction(store, log, permit, transaction, claims);
            }
        } catch (RuntimeException e) {
            LOG.debug("{} messages could not be claimed together", messages.size(), e);
        } finally {
            if (begun == null) {
                end(transaction, permit);
            }
        }
        return begun;
    }

    private static Map<Handling, MessageRecord> claim(
            TransactionalMessageStore store, Ownership ownership, List<Handling> messages) {
        Map<RecordKey, Handling> handlings = new LinkedHashMap<>();
        messages.forEach(message -> handlings.put(message.key(), message));
        Map<Handling, MessageRecord> claims = new LinkedHashMap<>();
        store.createAll(messages.stream().map(ownership::first).toList())
                .forEach(claim -> claims.put(Objects.requireNonNull(handlings.get(claim.key())), claim));
        return claims;
    }

    private static void end(@Nullable LocalTransaction transaction, Permit permit) {
        try {
            if (transaction != null) {
                transaction.rollback();
            }
        } finally {
            permit.close();
        }
    }

    @Override
    public boolean isClaimed(Handling handling) {
        return claims.containsKey(handling);
    }

    @Override
    public boolean isBroken() {
        return broken;
    }

    @Override
    public @Nullable String unshareable() {
        return unshareable;
    }

    @Override
    public @Nullable Throwable run(Handling handling, Next handler) {
        MessageRecord claim = Objects.requireNonNull(claims.get(handling), "Not claimed");
        needsItsOwn = null;
        Run run = Run.of(handling, () -> handling.run(new NoSteps(handling), handler));
        Throwable failure = run.failure() == null ? sealed(handling, claim, run) : run.failure();
        if (HandledTransactions.countListeners() != listeners) {
            // they would be told of the commit of all, also of what is undone, and what they publish would belong to no
            // message
            needsItsOwn = "listens to the end of the transaction";
            broken = true;
        } else if (failure != null) {
            leave(handling, failure);
        }
        unshareable = needsItsOwn == null ? unshareable : needsItsOwn;
        return failure;
    }

    /** Its record is complete within its savepoint, so that whatever commits its writes commits that, too. */
    private @Nullable Throwable sealed(Handling handling, MessageRecord claim, Run run) {
        if (!run.joined().records().isEmpty() || !run.joined().whenWritten().isEmpty()) {
            needsItsOwn = "changes companions of its message";
        }
        if (needsItsOwn != null) {
            return needsItsOwn(handling);
        }
        try {
            MessageRecord record = run.publications().isEmpty()
                    ? claim
                    : requireWritten(store.replace(claim.completed(run.publications())), handling);
            transaction.mark();
            handled.put(handling, record);
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private void leave(Handling handling, Throwable why) {
        LOG.debug(
                "Message {} leaves its shared transaction, and is handled on its own",
                handling.message().id(),
                why);
        try {
            transaction.returnToMark();
        } catch (RuntimeException e) {
            broken(e);
        }
    }

    /** Some failure of the transaction itself, and not of one message. */
    private void broken(RuntimeException e) {
        broken = true;
        log.tell(
                Subject.warn(LOG, "Transactions that messages share have failed"),
                claims.keySet().iterator().next().message().type(),
                () -> LOG.warn(
                        "A transaction that {} messages share has failed; they are handled one by one, at no cost of an attempt",
                        claims.size(),
                        log.tellable(e)));
    }

    @Override
    public Map<Handling, MessageRecord> commit() {
        if (broken || handled.isEmpty()) {
            return Map.of();
        }
        try {
            claims.forEach((handling, claim) -> {
                if (!handled.containsKey(handling)) {
                    MessageRecord unused = requireWritten(store.replace(claim.next(RecordState.RELEASED)), handling);
                }
            });
            if (!transaction.isKnownToBeOpen()) {
                throw unusable("can do no more");
            }
            commitTried = true;
            transaction.commit();
            log.answered();
            return handled;
        } catch (RuntimeException e) {
            broken(e);
            return Map.of();
        }
    }

    private MessageRecord requireWritten(@Nullable MessageRecord written, Handling handling) {
        if (written == null) {
            throw unusable("has lost the claim of message " + handling.message().id());
        }
        return written;
    }

    private static BrokenTransactionException unusable(String what) {
        return new BrokenTransactionException(
                "A transaction that messages share %s: did a handler commit it, roll it back, or go on after a failed statement? Let the exception out, or use a savepoint."
                        .formatted(what),
                null);
    }

    @Override
    public void close() {
        end(transaction, permit); // no effect once it is committed
        if (broken && !commitTried) {
            undoCommitted();
        }
    }

    /** If a handler has committed the transaction itself, messages that have not been handled would count as handled. */
    private void undoCommitted() {
        try {
            claims.forEach((handling, claim) -> {
                if (!handled.containsKey(handling)) {
                    MessageRecord stored = store.find(claim.key());
                    if (stored != null && stored.isSameWriteAs(claim)) {
                        MessageRecord unused = store.replace(claim.next(RecordState.RELEASED));
                    }
                }
            });
        } catch (RuntimeException e) {
            log.noAnswer(
                    claims.keySet().iterator().next().message().id(), "could not look what a rollback has left", e);
        }
    }

    private static NotHandledException needsItsOwn(Handling handling) {
        return NotHandledException.later(
                "Message %s needs a transaction of its own"
                        .formatted(handling.message().id()),
                Duration.ZERO);
    }

    /** Steps survive a rollback, so they are kept only where a message has a transaction of its own. */
    private final class NoSteps implements HandlerStore {

        private final Handling handling;

        NoSteps(Handling handling) {
            this.handling = handling;
        }

        @Override
        public @Nullable String find(String name) {
            needsItsOwn = "uses steps (context.once)";
            throw needsItsOwn(handling);
        }

        @Override
        public void store(String name, String json) {
            throw needsItsOwn(handling);
        }

        @Override
        public @Nullable MessageRecord companion(RecordKey key) {
            needsItsOwn = "reads companions of its message";
            throw needsItsOwn(handling);
        }

        @Override
        public void beginAgain() {
            throw needsItsOwn(handling);
        }
    }
}
