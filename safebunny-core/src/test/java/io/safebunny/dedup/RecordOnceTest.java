// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.RetryLaterException;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.DecisiveStore;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.BrokenTransactionException;
import io.safebunny.store.JointWrite;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Where the commit alone decides, a record is written as handled when the handling begins, and again only if that is not enough. */
class RecordOnceTest {

    private final DedupBench bench = new DedupBench();
    private final WatchedStore store = new WatchedStore();
    private final Deduplication instance = bench.over(store);

    /** Of one message at a time. */
    private static final class WatchedStore extends DecisiveStore {

        /** States of the message's record that were written in its transactions, in this order. */
        private final List<RecordState> written = new ArrayList<>();

        /** Whether the transaction could not be committed any more, and its driver knows. */
        private boolean isBroken;
        /** As if each waited in vain for a transaction that is not over. */
        private boolean refusesWrites;

        WatchedStore() {
            super(DedupBench.RETENTION);
        }

        @Override
        public LocalTransaction begin() {
            open = true;
            return new Decisive() {
                @Override
                public boolean isKnownToBeOpen() {
                    return !isBroken;
                }

                @Override
                public void rollback() {
                    super.rollback();
                    isBroken = false;
                }
            };
        }

        /** The handler's transaction is rolled back by the database. */
        void forget() {
            uncommitted.clear();
        }

        boolean isCommitted(RecordKey key) {
            return wrapped.find(key) != null;
        }

        private void requireWrites() {
            if (refusesWrites) {
                throw new StoreUnavailableException("waited in vain", null, null);
            }
        }

        @Override
        protected MessageRecord written(MessageRecord record) {
            if (record.key().equals(DedupBench.KEY)) {
                written.add(record.state());
            }
            return super.written(record);
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            requireWrites();
            return super.create(record);
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            requireWrites();
            return super.writeTogether(records);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            if (open && isBroken) {
                throw new StoreUnavailableException("a statement has failed", null, null);
            }
            return super.find(key);
        }
    }

    private void deliver(DedupBench.Handler handler) throws Exception {
        bench.deliver(instance, DedupBench.MESSAGE, handler);
    }

    private MessageRecord stored() {
        return Objects.requireNonNull(store.find(DedupBench.KEY));
    }

    private static IOException failed() {
        return new IOException("failed");
    }

    @Test
    void aMessageThatPublishesNothingIsWrittenOnce() throws Exception {
        deliver(handling -> assertThat(store.isCommitted(DedupBench.KEY)).isFalse());

        assertThat(store.written).containsExactly(RecordState.DISPATCHED);
        assertThat(stored().version()).isEqualTo(1);
        deliver(handling -> {});
        assertThat(bench.runs).as("the second one is a duplicate").hasSize(1);
    }

    @Test
    void whatItPublishesIsWrittenBeforeTheCommitAndSent() throws Exception {
        deliver(handling -> bench.publish());

        assertThat(store.written).containsExactly(RecordState.DISPATCHED, RecordState.COMPLETED);
        assertThat(bench.transport.attempted()).hasSize(1);
    }

    /** Its process ends after the commit: the sweeper of another one has to find it. */
    @Test
    void whatItHasPublishedIsInTheRecordWhenTheProcessEnds() throws Exception {
        store.commit = () -> {
            store.write();
            throw new StoreUnavailableException("no answer", null, null);
        };

        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> deliver(handling -> bench.publish()));
        assertThat(stored().state()).isEqualTo(RecordState.COMPLETED);
        assertThat(stored().outgoing()).hasSize(1);
    }

    @Test
    void whatChangesWithItIsWrittenTogetherWithItsRecord() throws Exception {
        RecordKey shared = RecordKey.companion(DedupBench.KEY.correlationId(), "state");
        deliver(handling -> handling.join(new MessageRecord(
                shared,
                RecordState.RELEASED,
                "application",
                1,
                0,
                0,
                Duration.ZERO,
                stored().fingerprint(),
                Map.of("a", "1"),
                List.of(),
                null,
                null)));

        assertThat(store.written).containsExactly(RecordState.DISPATCHED, RecordState.DISPATCHED);
        assertThat(stored().version()).isEqualTo(2);
        assertThat(store.find(shared)).isNotNull();
    }

    @Test
    void aFailedMessageIsHandledAgainInOneWrite() throws Exception {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> deliver(handling -> {
                    throw failed();
                }));
        assertThat(stored().state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored().attempt()).isEqualTo(1);
        store.written.clear();
        deliver(handling -> {});

        assertThat(store.written).containsExactly(RecordState.DISPATCHED);
        assertThat(stored().attempt()).isEqualTo(1);
        assertThat(bench.runs).containsExactly(0, 1);
    }

    @Test
    void aCommitThatIsNotAnsweredButTookPlaceIsADuplicateNextTime() throws Exception {
        store.commit = () -> {
            store.write();
            throw new StoreUnavailableException("no answer", null, null);
        };

        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> deliver(handling -> {}));
        deliver(handling -> {});
        assertThat(bench.runs).hasSize(1);
    }

    /** The connection was gone before, and no write of ours just before the commit has found that out. */
    @Test
    void aCommitThatDidNotTakePlaceWhileTheStoreAnswersIsTheHandlersFailure() {
        store.commit = () -> {
            store.forget();
            throw new StoreUnavailableException("connection lost", null, null);
        };

        assertThatExceptionOfType(BrokenTransactionException.class).isThrownBy(() -> deliver(handling -> {}));
        assertThat(stored().state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored().attempt()).isEqualTo(1);
    }

    /** The database may still carry out the commit: the message must not be poison and handled. */
    @Test
    void aCommitInDoubtComesBackInsteadOfBecomingPoisonWhileTheStoreDoesNotAnswer() {
        store.commit = () -> {
            store.forget();
            store.refusesWrites = true;
            throw new StoreUnavailableException("connection lost", null, null);
        };

        Ending ending = DedupBench.handle(
                instance,
                new Handling(new CurrentHandling(), DedupBench.MESSAGE),
                failure -> Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, failure),
                handling -> {});

        assertThat(ending).isInstanceOf(Returned.class);
        assertThat(store.find(DedupBench.KEY)).isNull();
    }

    @Test
    void aTransactionThatIsKnownToBeBrokenIsTheHandlersFailure() {
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> deliver(handling -> store.isBroken = true));
        assertThat(stored().state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored().attempt()).isEqualTo(1);
    }

    // ---- a handler that ends its transaction itself

    @Test
    void aHandlerThatCommitsAndFailsIsRetried() throws Exception {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> deliver(handling -> {
                    store.write();
                    throw failed();
                }));
        assertThat(stored().state()).isEqualTo(RecordState.RELEASED);
        deliver(handling -> {});

        assertThat(bench.runs).containsExactly(0, 1);
        assertThat(stored().state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void aHandlerThatCommitsAndAsksForALaterDeliveryGetsIt() throws Exception {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> deliver(handling -> {
                    store.write();
                    throw NotHandledException.later("interrupted", Duration.ZERO);
                }));
        assertThatExceptionOfType(RetryLaterException.class)
                .isThrownBy(() -> deliver(handling -> {
                    store.write();
                    throw new RetryLaterException(Duration.ofSeconds(1));
                }));
        deliver(handling -> {});

        assertThat(bench.runs).hasSize(3);
        assertThat(stored().state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void aHandlerThatCommitsAndFailsForGoodIsSetAside() {
        Ending ending = DedupBench.handle(
                instance,
                new Handling(new CurrentHandling(), DedupBench.MESSAGE),
                failure -> Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, failure),
                handling -> handling.attempt(() -> {
                    store.write();
                    throw failed();
                }));

        assertThat(stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(ending).isInstanceOfSatisfying(Poisoned.class, poisoned -> assertThat(
                        poisoned.stored().version())
                .isEqualTo(stored().version()));
    }

    @Test
    void aHandlerThatCommitsAndFailsIsRetriedInMemory() throws Exception {
        deliver(handling -> {
            store.write();
            handling.undoAttempt();
        });

        assertThat(stored().state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(stored().version()).isEqualTo(2);
    }
}
