// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.HandlerStore;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Run;
import io.safebunny.handling.publications.HandledTransactions;
import io.safebunny.middleware.Next;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
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

    private final ClaimedTogether claimed;
    private final DedupLog log;
    private final LocalTransaction transaction;
    private final Map<Handling, MessageRecord> claims;
    private final int listeners;
    /** As they will be committed. */
    private final Map<Handling, Written> handled = new LinkedHashMap<>();

    private @Nullable Throwable broken;
    private boolean commitTried;
    private @Nullable String unshareable;
    /** What the handler that is running did, and must not do here, whatever it makes of the exception. */
    private @Nullable String needsItsOwn;

    private SharedTransaction(ClaimedTogether claimed, DedupLog log) {
        this.claimed = claimed;
        this.log = log;
        this.transaction = claimed.transaction();
        this.claims = claimed.records();
        HandledTransactions.refuseSuspension(this::refuseSuspension);
        this.listeners = HandledTransactions.countListeners();
    }

    /** Beside it, a handler would wait for the locks of others in its group, which its own thread holds: no database notices that. */
    private void refuseSuspension() {
        needsItsOwn = "suspends the transaction (REQUIRES_NEW, NOT_SUPPORTED)";
        throw NotHandledException.later(
                "A message that shares a transaction needs one beside it, and so one of its own", Duration.ZERO);
    }

    /** {@code null} if that fails. */
    static @Nullable SharedClaims begin(ClaimedTogether claimed, DedupLog log) {
        boolean begun = false;
        try {
            claimed.transaction().mark();
            SharedClaims shared = new SharedTransaction(claimed, log);
            begun = true;
            return shared;
        } catch (RuntimeException e) {
            LOG.debug(
                    "{} messages could not be claimed together",
                    claimed.records().size(),
                    e);
            return null;
        } finally {
            if (!begun) {
                claimed.end();
            }
        }
    }

    @Override
    public boolean isClaimed(Handling handling) {
        return claims.containsKey(handling);
    }

    @Override
    public @Nullable Throwable failure() {
        return broken;
    }

    @Override
    public @Nullable String unshareable() {
        return unshareable;
    }

    @Override
    public @Nullable Throwable run(List<Handling> together, Next handler) {
        Handling handling = together.get(0);
        MessageRecord claim = Objects.requireNonNull(claims.get(handling), "Not claimed");
        needsItsOwn = null;
        Run run = Run.of(handling, () -> handling.run(new NoSteps(handling), handler));
        Throwable failure = run.failure() == null ? sealed(handling, claim, run) : run.failure();
        if (HandledTransactions.countListeners() != listeners) {
            // they would be told of the commit of all, also of what is undone, and what they publish would belong to no
            // message
            needsItsOwn = "listens to the end of the transaction";
            broken = needsItsOwn(handling);
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
            MessageRecord record =
                    run.publications().isEmpty() ? claim : claimed.write(claim.completed(run.publications()));
            transaction.mark();
            handled.put(handling, new Written(record, List.of()));
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private void leave(Handling handling, Throwable why) {
        LOG.debug(
                "Message {} leaves its shared transaction, and is handled on its own",
                handling.message().id(),
                handling.details().logged(why));
        try {
            transaction.returnToMark();
        } catch (RuntimeException e) {
            broken(e);
        }
    }

    /** Some failure of the transaction itself, and not of one message. */
    private void broken(RuntimeException e) {
        broken = e;
        log.tell(
                Subject.warn(LOG, "Transactions that messages share have failed"),
                claims.keySet().iterator().next().message().type(),
                () -> LOG.warn(
                        "A transaction that {} messages share has failed; they are handled again, at no cost of an attempt",
                        claims.size(),
                        claims.keySet().iterator().next().details().logged(e)));
    }

    @Override
    public Map<Handling, Written> commit() {
        if (broken != null || handled.isEmpty()) {
            return Map.of();
        }
        try {
            claims.forEach((handling, claim) -> {
                if (!handled.containsKey(handling)) {
                    MessageRecord unused = claimed.write(claim.next(RecordState.RELEASED));
                }
            });
            if (!transaction.isKnownToBeOpen()) {
                throw ClaimedTogether.unusable("can do no more");
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

    @Override
    public void close() {
        claimed.end(); // no effect once it is committed
        if (broken != null && !commitTried) {
            claimed.undoCommitted(log, handled);
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
