// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.handling.Handling;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.middleware.Next;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordState;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.TransactionalMessageStore.Turn;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims by the lock on an uncommitted record, in one local transaction with the handler's own writes and the completion. Steps
 * are kept in a companion record. Thread-safe.
 */
final class TransactionalClaims implements Claims {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionalClaims.class);

    private final TransactionalMessageStore store;
    private final Timeline timeline;
    private final DedupLog log;
    private final StoreFailures failures;
    private final Claiming claiming;
    private final UnwrittenAttempts unwritten;

    TransactionalClaims(TransactionalMessageStore store, Timeline timeline, DedupLog log, Claiming claiming) {
        this.store = store;
        this.timeline = timeline;
        this.log = log;
        this.failures = new StoreFailures(log);
        this.claiming = claiming;
        this.unwritten = new UnwrittenAttempts(store, claiming, log);
    }

    @Override
    public MessageClaim of(Handling handling) {
        return new Transactional(handling);
    }

    private final class Transactional implements MessageClaim {

        private final Handling handling;
        private final String messageId;
        private final ClaimingTransaction transaction;
        private @Nullable Turn turn;
        private @Nullable ApartSteps apart;

        Transactional(Handling handling) {
            this.handling = handling;
            this.messageId = handling.message().id();
            this.transaction = new ClaimingTransaction(store, claiming, unwritten, log, handling);
        }

        @Override
        public MessageRecord take() {
            turn = awaitTurn();
            MessageRecord record = failures.claimed(messageId, transaction::begin);
            if (record.state() == RecordState.CLAIMED) {
                apart = new ApartSteps(store, timeline, log, record, transaction);
            } else {
                transaction.rollback();
            }
            return record;
        }

        /** Having to wait is not a failure of the store: it costs no attempt and pauses no type. */
        private Turn awaitTurn() {
            try {
                return store.awaitTurn();
            } catch (InterruptedException e) { // the process is stopping
                Thread.currentThread().interrupt();
                throw NotHandledException.later(
                        "Message %s waited for its turn when its thread was interrupted".formatted(messageId),
                        Duration.ZERO);
            }
        }

        @Override
        public void run(Next handler) throws Exception {
            handler.run();
        }

        /** Any other exception at the commit is the handler's own failure. */
        @Override
        public @Nullable MessageRecord complete() {
            try {
                return end(() -> {
                    MessageRecord steps = steps().handled(handling.message().poisonVersion() > 0);
                    if (steps != null) {
                        handling.records().join(steps);
                    }
                    return transaction.commit(handling.collected());
                });
            } catch (RecordRefusedException e) {
                throw StoreFailures.refused(e);
            } catch (StoreUnavailableException e) {
                throw failures.noAnswer(messageId, e);
            }
        }

        @Override
        public void release(Throwable failure, RecoveryAction next) {
            end(() -> {
                transaction.rollback();
                writeLeftOver();
                transaction.rollback(next);
                return true;
            });
        }

        /**
         * A result that the store refuses keeps nobody from writing how the message ended.
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
                LOG.debug("The result of a step of message {} is not stored", messageId, e);
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

        /** Spring swallows most of what listeners throw, and the handling goes on. */
        private void tellRefusal(@Nullable RuntimeException known) {
            RuntimeException refusal = handling.ending().takeRefusal();
            if (refusal != null && refusal != known) {
                log.tell(
                        Kind.error(LOG, "What listeners of transactions did was refused"),
                        messageId,
                        () -> LOG.error(
                                "SB-3016 A listener of the transaction of message {} did what is refused, and that is lost, although its failure may have changed nothing else",
                                messageId,
                                log.tellable(refusal)));
            }
        }

        @Override
        public void close() {
            if (turn != null) {
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
                throw failures.noAnswer(messageId, e);
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
                throw failures.noAnswer(messageId, e);
            }
        }

        @Override
        public void beginAgain() {
            try {
                MessageRecord unused = failures.claimed(messageId, transaction::beginAgain);
            } finally {
                tellRefusal(null);
            }
            steps().forget(); // another delivery may have had the message in between
        }
    }
}
