// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.safebunny.PoisonMessageException;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.PoisonRecord;
import io.safebunny.failure.policy.PoisonRecord.By;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A second copy of the message waited for our transaction, and handles it as soon as ours is rolled back. */
class HandledByAnotherTest {

    private final DedupBench bench = new DedupBench();
    private final Deduplication deduplication = bench.over(new OvertakenStore(RecordState.DISPATCHED));

    /** Between the rollback and the next write, another delivery handles the message, or its undo bars it. */
    private static final class OvertakenStore extends ForwardingMessageStore implements TransactionalMessageStore {
        private final RecordState end;
        private final Fingerprint fingerprint;
        private @Nullable MessageRecord uncommitted;

        OvertakenStore(RecordState end) {
            this(end, Fingerprint.of(DedupBench.MESSAGE));
        }

        OvertakenStore(RecordState end, Fingerprint fingerprint) {
            super(new MemoryMessageStore(VirtualTimeline.skipping(), DedupBench.RETENTION));
            this.end = end;
            this.fingerprint = fingerprint;
        }

        @Override
        public LocalTransaction begin() {
            return new LocalTransaction() {
                @Override
                public void commit() {
                    throw new AssertionError("the handler fails");
                }

                @Override
                public void rollback() {
                    MessageRecord ours = uncommitted;
                    if (ours == null) {
                        return;
                    }
                    uncommitted = null;
                    MessageRecord others = wrapped.create(
                            MessageRecord.claim(ours.key(), "another", ours.lease(), ours.attempt(), fingerprint));
                    assertThat(wrapped.replace(others.next(end))).isNotNull();
                }
            };
        }

        @Override
        public <T> T apart(Supplier<T> action) {
            return action.get();
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            MessageRecord stored = wrapped.find(record.key());
            if (stored == null) {
                uncommitted = record;
                return record;
            }
            return stored;
        }

        @Override
        public @Nullable MessageRecord findAndLock(RecordKey key) {
            return find(key);
        }
    }

    @Test
    void aFailedMessageThatAnotherDeliveryHasHandledIsADuplicateAndNoPoison() {
        Throwable failure = catchThrowable(() -> bench.deliver(deduplication, DedupBench.MESSAGE, execution -> {
            throw new PoisonMessageException("this attempt fails for good");
        }));

        assertThat(failure).isInstanceOf(NotHandledException.class);
    }

    @Test
    void aFailedStepThatWasUndoneMeanwhileIsNotHandledAgainAndNoPoison() {
        Deduplication undone = bench.over(new OvertakenStore(RecordState.UNDONE));

        Throwable failure = catchThrowable(() -> bench.deliver(undone, DedupBench.MESSAGE, execution -> {
            throw new PoisonMessageException("this attempt fails for good");
        }));

        assertThat(failure).isInstanceOf(NotHandledException.class);
    }

    /** With the version of the edited one, its poison copy would say that it is the one to replay. */
    @Test
    void aFailedMessageThatWasEditedMeanwhileDoesNotSayTheVersionOfTheEditedOne() {
        Fingerprint edited = Fingerprint.of(Wires.orderPlaced().withBody("{}").envelope());
        Deduplication instance = bench.over(new OvertakenStore(RecordState.POISONED, edited));
        Handling handling = new Handling(new CurrentHandling(), DedupBench.MESSAGE);

        Ending ending = DedupBench.handle(
                instance, handling, thrown -> Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, thrown), execution -> {
                    throw new PoisonMessageException("this attempt fails for good");
                });

        assertThat(ending).isInstanceOfSatisfying(Poisoned.class, poisoned -> {
            assertThat(poisoned.failure()).isInstanceOf(PoisonMessageException.class);
            assertThat(poisoned.stored()).isEqualTo(new PoisonRecord(0, By.ANOTHER_DELIVERY));
        });
    }

    /** Between two runs of its handler. Whoever swallows that would complete it in no transaction. */
    @Test
    void aMessageThatAnotherDeliveryHasHandledBetweenTwoAttemptsIsADuplicateWhateverIsMadeOfThat() {
        Throwable failure = catchThrowable(() -> bench.deliver(
                deduplication, DedupBench.MESSAGE, execution -> assertThat(catchThrowable(execution::undoAttempt))
                        .isNotNull()));

        assertThat(failure)
                .isInstanceOfSatisfying(NotHandledException.class, comesBack -> assertThat(comesBack.isTrouble())
                        .isFalse());
    }

    /** Where the claim is a record, which fell silent. */
    @Test
    void aFailedMessageThatWasTakenOverAndHandledIsADuplicateAndNoPoison() {
        Deduplication other = bench.instance();
        Throwable failure = catchThrowable(() -> bench.deliver(bench.instance, DedupBench.MESSAGE, execution -> {
            assertThat(catchThrowable(() -> bench.deliver(other, DedupBench.MESSAGE, early -> {})))
                    .isInstanceOf(NotHandledException.class);
            bench.timeline.advance(DedupBench.LEASE);
            bench.deliver(other, DedupBench.MESSAGE, late -> {});
            throw new PoisonMessageException("this attempt fails for good");
        }));

        assertThat(failure).isInstanceOf(NotHandledException.class);
        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
    }

    /** Else the poison copy that was decided would be sent beside the other delivery's effects. */
    @Test
    void whatWasDecidedForAMessageThatWasTakenOverCountsNoMore() {
        Deduplication other = bench.instance();
        Handling handling = new Handling(new CurrentHandling(), DedupBench.MESSAGE);
        PoisonMessageException failure = new PoisonMessageException("this attempt fails for good");

        Ending ending = DedupBench.handle(
                bench.instance,
                handling,
                thrown -> Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, thrown),
                execution -> {
                    assertThat(catchThrowable(() -> bench.deliver(other, DedupBench.MESSAGE, early -> {})))
                            .isInstanceOf(NotHandledException.class);
                    bench.timeline.advance(DedupBench.LEASE);
                    bench.deliver(other, DedupBench.MESSAGE, late -> {});
                    throw failure;
                });

        assertThat(ending).isInstanceOfSatisfying(Returned.class, comesBack -> assertThat(comesBack.failure())
                .isInstanceOf(NotHandledException.class)
                .hasSuppressedException(failure));
    }
}
