// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.dedup.claim.Attempts;
import io.safebunny.dedup.claim.Claim;
import io.safebunny.dedup.claim.Claim.NotWritten;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.Claimed;
import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Claims;
import io.safebunny.dedup.claim.Ownership;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.dedup.claim.StoreFailures;
import io.safebunny.dedup.claim.UndoFence;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.handling.JointRecords;
import io.safebunny.handling.Run;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.BrokenTransactionException;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.TransactionalMessageStore.Permit;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims by the lock on an uncommitted record, in one local transaction with the handler's own writes and the completion. Steps
 * are kept in a companion record. Thread-safe.
 */
public final class TransactionalClaims implements Claims {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionalClaims.class);

    private final TransactionalMessageStore store;
    private final Timeline timeline;
    private final DedupLog log;
    private final StoreFailures failures;
    private final Ownership ownership;
    private final Attempts attempts;
    private final UndoFence fence;

    public TransactionalClaims(TransactionalMessageStore store, Timeline timeline, DedupLog log, Ownership ownership) {
        this.store = store;
        this.timeline = timeline;
        this.log = log;
        this.failures = new StoreFailures(log);
        this.ownership = ownership;
        this.attempts = new Attempts(log);
        this.fence = new UndoFence(store, timeline, log, ownership);
    }

    @Override
    public Claimed claim(Handling handling) {
        Transactional claim = new Transactional(handling);
        boolean ours = false;
        try {
            claim.turn = store.awaitPermit();
            Claimed claimed = failures.claimed(handling.message().id(), claim::begin);
            ours = claimed instanceof Ours;
            return claimed;
        } catch (InterruptedException e) { // the process is stopping
            Thread.currentThread().interrupt();
            return new Busy(NotHandledException.later(
                    "Message %s waited for its turn when its thread was interrupted"
                            .formatted(handling.message().id()),
                    Duration.ZERO));
        } finally {
            if (!ours) {
                claim.close();
            }
        }
    }

    @Override
    public boolean canShare() {
        return store.sharesTransactions();
    }

    @Override
    public @Nullable SharedClaims claimTogether(List<Handling> messages) {
        ClaimedTogether claimed = ClaimedTogether.begin(store, ownership, messages);
        return claimed == null ? null : SharedTransaction.begin(claimed, log);
    }

    @Override
    public @Nullable SharedClaims claimBatch(List<Handling> messages) {
        ClaimedTogether claimed = ClaimedTogether.begin(store, ownership, messages);
        return claimed == null ? null : new BatchTransaction(claimed, log, failures);
    }

    /** Spring swallows most of what listeners throw, and the handling goes on. */
    static void tellRefusal(DedupLog log, Handling handling, @Nullable RuntimeException known) {
        RuntimeException refusal = handling.transactionEnd().takeRefusal();
        if (refusal != null && refusal != known) {
            String messageId = handling.message().id();
            log.tell(
                    Subject.error(LOG, "What listeners of transactions did was refused"),
                    messageId,
                    () -> LOG.error(
                            "SB-3016 A listener of the transaction of message {} did what is refused, and that is lost, although its failure may have changed nothing else",
                            messageId,
                            handling.details().logged(refusal)));
        }
    }

    static void tellFailedCallback(DedupLog log, Handling handling, Throwable e) {
        String id = handling.message().id();
        log.tell(
                Subject.warn(LOG, "Callbacks after commits failed"),
                id,
                () -> LOG.warn(
                        "Message {} is handled and committed, but a callback after the commit failed",
                        id,
                        handling.details().logged(e)));
    }

    final class Transactional implements Claim {

        private final Handling handling;
        private final String messageId;
        private final HandlerTransaction transaction;
        private Permit turn = () -> {};
        private @Nullable ApartSteps apart;

        private Transactional(Handling handling) {
            this.handling = handling;
            this.messageId = handling.message().id();
            this.transaction = new HandlerTransaction(store, ownership, attempts, log, handling);
        }

        private Claimed begin() {
            return transaction.begin(record -> {
                if (apart == null) {
                    apart = new ApartSteps(store, timeline, log, record, transaction);
                }
                return this;
            });
        }

        @Override
        public Hold enter() {
            fence.bar(handling);
            return Hold.NONE;
        }

        /** What is neither the store's refusal nor its silence is the handler's own failure. */
        @Override
        public Completion complete(Run run) {
            try {
                return end(() -> {
                    MessageRecord steps = steps().handled(handling.message().poisonVersion() > 0);
                    JointRecords joined =
                            steps == null ? run.joined() : run.joined().with(steps);
                    MessageRecord completed = transaction.commit(run.publications(), joined.records());
                    return completed == null ? Completion.OVERTAKEN : new Written(completed, joined.whenWritten());
                });
            } catch (RecordRefusedException | StoreUnavailableException e) {
                return failures.notWritten(handling, e);
            } catch (RuntimeException e) {
                return new NotWritten(e);
            }
        }

        @Override
        public Failed release(Throwable failure, Failed ending) {
            try {
                return end(() -> {
                    transaction.rollback();
                    writeLeftOver();
                    return transaction.rollback(ending);
                });
            } catch (NotHandledException othersByNow) {
                return failures.othersByNow(failure, othersByNow);
            }
        }

        /**
         * If the store refuses the result, how the message ended is still written.
         *
         * @throws NotHandledException another delivery has the message by now
         */
        private void writeLeftOver() {
            try {
                if (apart != null) {
                    apart.writeLeftOver(handling::isDelivered);
                }
            } catch (NotHandledException e) {
                throw e;
            } catch (RuntimeException e) {
                LOG.debug(
                        "The result of a step of message {} is not stored",
                        messageId,
                        handling.details().logged(e));
            }
        }

        private <T extends @Nullable Object> T end(Supplier<T> action) {
            @Nullable RuntimeException failure = null;
            try {
                return handling.end(action);
            } catch (RuntimeException e) {
                failure = e;
                throw e;
            } finally {
                tellRefusal(failure);
            }
        }

        private void tellRefusal(@Nullable RuntimeException known) {
            TransactionalClaims.tellRefusal(log, handling, known);
        }

        @Override
        public void close() {
            try {
                transaction.rollback(); // no effect once it has ended
            } finally {
                turn.close();
            }
        }

        // ---- companions

        @Override
        public @Nullable MessageRecord companion(RecordKey key) {
            try {
                return transaction.findAndLock(key);
            } catch (BrokenTransactionException | NotHandledException e) {
                throw e; // the first is the handler's own failure
            } catch (RuntimeException e) {
                throw failures.unread(messageId, e);
            }
        }

        // ---- steps

        private ApartSteps steps() {
            return Objects.requireNonNull(apart, "Nothing is claimed");
        }

        @Override
        public @Nullable String find(String name) {
            try {
                return steps().find(name);
            } catch (BrokenTransactionException | NotHandledException | InvalidMessageException e) {
                throw e; // the first is the handler's own failure, and an in-memory retry gets a new transaction
            } catch (RuntimeException e) {
                throw failures.noAnswer(handling, e);
            }
        }

        @Override
        public void store(String name, String json) {
            try {
                steps().store(name, json);
            } catch (NotHandledException e) {
                throw e;
            } catch (RecordRefusedException e) {
                throw StoreFailures.refusedStep(name, e);
            } catch (ApplicationCodeException e) {
                throw StoreFailures.unstoredStep(name, e);
            } catch (RuntimeException e) {
                throw failures.noAnswer(handling, e);
            }
        }

        private Claimed beginNext() {
            transaction.rollback();
            return begin();
        }

        @Override
        public void beginAgain() {
            try {
                transaction.requireOurs(failures.claimed(messageId, this::beginNext));
            } finally {
                tellRefusal(null);
            }
            steps().forget(); // another delivery may have had the message in between
        }
    }
}
