// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.dedup.DedupBench;
import io.safebunny.dedup.claim.Claim;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.Claimed;
import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Done;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Ownership;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.dedup.transaction.TransactionalClaims.Transactional;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.handling.JointRecords;
import io.safebunny.handling.Membership;
import io.safebunny.handling.Run;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.PoisonReason;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In which order turn, transaction and writes follow each other. */
class TransactionalClaimsTest {

    private final List<String> events = new ArrayList<>();
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final RecordingStore store = new RecordingStore();
    private final Handling handling = new Handling(new CurrentHandling(), MESSAGE);

    private Transactional take() {
        return take(handling);
    }

    private Transactional take(Handling message) {
        return (Transactional) ((Ours) claims().claim(message)).claim();
    }

    private static Run run() {
        return new Run(List.of(), JointRecords.NONE, null);
    }

    private static void complete(Claim claim) {
        assertThat(claim.complete(run())).isInstanceOf(Written.class);
    }

    private static Failed released(Claim claim, Throwable failure) {
        return claim.release(failure, Ending.retried(Duration.ZERO, failure));
    }

    private static Failed poisoned(Claim claim) {
        IOException failure = new IOException("failed");
        return claim.release(failure, Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, failure));
    }

    private TransactionalClaims claims() {
        DedupLog log = new DedupLog(new BoundedLog(timeline, ExceptionDetails.FULL));
        Node node = DedupBench.node(
                store, new RecordingTransport(), timeline, Runnable::run, new SimpleMeterRegistry(), DedupBench.LEASE);
        return new TransactionalClaims(store, timeline, log, new Ownership(node, log));
    }

    /** Of one message, in one transaction at a time. */
    private final class RecordingStore extends ForwardingMessageStore implements TransactionalMessageStore {

        private final MessageStore committed = wrapped;
        private final List<MessageRecord> uncommitted = new ArrayList<>();
        private final Deque<Runnable> beforeJointWrites = new ArrayDeque<>();
        private boolean open;
        /** Begun and not ended on this thread, with those of {@link #apart}. */
        private int transactions;

        private boolean spoilt;
        private boolean down;
        /** How many joint writes of {@link #apart} wait in vain as long as a transaction of a handler is open. */
        private int heldUp;
        /** How many joint writes are not answered, whatever is open. */
        private int unanswered;
        /** What the application does below keeps it from being asked. */
        private boolean refuses;

        RecordingStore() {
            super(new MemoryMessageStore(timeline, DedupBench.RETENTION));
        }

        @Override
        public Permit awaitPermit() throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            events.add("turn");
            return () -> events.add("turn over");
        }

        @Override
        public LocalTransaction begin() {
            events.add("begin");
            open = true;
            transactions++;
            return new LocalTransaction() {
                @Override
                public void commit() {
                    events.add("commit");
                    open = false;
                    transactions--;
                    requireUnspoilt();
                    uncommitted.forEach(record -> {
                        MessageRecord unused = record.version() == 1
                                ? committed.create(record)
                                : Objects.requireNonNull(committed.replace(record));
                    });
                    uncommitted.clear();
                }

                @Override
                public void rollback() {
                    events.add("rollback");
                    open = false;
                    transactions--;
                    spoilt = false;
                    uncommitted.clear();
                }
            };
        }

        @Override
        public <T> T apart(Supplier<T> action) {
            boolean before = open;
            open = false;
            transactions++;
            try {
                T result = action.get();
                requireUnspoilt();
                return result;
            } finally {
                transactions--;
                open = before;
            }
        }

        /** What a transaction manager does with a commit of what it has marked for a rollback. */
        private void requireUnspoilt() {
            if (spoilt) {
                spoilt = false;
                uncommitted.clear();
                throw new UnsupportedOperationException("rolled back");
            }
        }

        private boolean fits(MessageRecord record) {
            MessageRecord stored = find(record.key());
            return record.version() == (stored == null ? 1 : stored.version() + 1);
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            if (down) {
                throw new StoreUnavailableException("down", null, null);
            }
            MessageRecord stored = committed.find(record.key());
            if (open && stored == null) {
                uncommitted.add(record);
                return record;
            }
            return stored == null ? committed.create(record) : stored;
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            Runnable before = beforeJointWrites.poll();
            if (before != null) {
                before.run();
            }
            if (heldUp > 0 && transactions > 1) {
                heldUp--;
                throw new StoreUnavailableException("locked", Duration.ofSeconds(1), null);
            }
            if (refuses) {
                throw new ApplicationCodeException("no tenant on this thread", null);
            }
            if (unanswered > 0) {
                unanswered--;
                throw new StoreUnavailableException("no answer", null, null);
            }
            for (MessageRecord record : records) {
                if (!fits(record)) {
                    spoilt = transactions > 0 && records.size() > 1;
                    return new JointWrite.Overtaken(record.key());
                }
            }
            if (open) {
                uncommitted.addAll(records);
                return new JointWrite.Written(records);
            }
            return committed.writeTogether(records);
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            if (open) {
                uncommitted.add(record);
                return record;
            }
            return committed.replace(record);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            return open
                    ? uncommitted.stream()
                            .filter(record -> record.key().equals(key))
                            .reduce((before, latest) -> latest)
                            .orElseGet(() -> committed.find(key))
                    : committed.find(key);
        }

        @Override
        public @Nullable MessageRecord findAndLock(RecordKey key) {
            return find(key);
        }
    }

    @Test
    void commitsBeforeItsTurnIsOver() {
        Claim claim = take();
        Run run = Run.of(handling, () -> handling.run(claim, () -> events.add("handler")));
        assertThat(claim.complete(run)).isInstanceOfSatisfying(Written.class, written -> assertThat(
                        Objects.requireNonNull(written.toSend()).state())
                .isEqualTo(RecordState.DISPATCHED));
        claim.close();

        assertThat(events).containsExactly("turn", "begin", "handler", "commit", "turn over");
    }

    @Test
    void leavesNoTransactionOpenForADuplicate() {
        Claim claim = take();
        complete(claim);
        claim.close();
        events.clear();

        assertThat(claims().claim(handling))
                .isInstanceOfSatisfying(
                        Done.class, done -> assertThat(done.record().state()).isEqualTo(RecordState.DISPATCHED));
        assertThat(events).containsExactly("turn", "begin", "rollback", "turn over");
    }

    @Test
    void leavesNoTransactionOpenWhenItCannotClaim() {
        store.down = true;
        assertThat(claims().claim(handling))
                .isInstanceOfSatisfying(
                        Busy.class, busy -> assertThat(busy.why().isTrouble()).isTrue());

        assertThat(events).containsExactly("turn", "begin", "rollback", "turn over");
    }

    @Test
    void aWaitForItsTurnThatIsInterruptedIsNoTrouble() {
        Thread.currentThread().interrupt();
        assertThat(claims().claim(handling))
                .isInstanceOfSatisfying(
                        Busy.class, busy -> assertThat(busy.why().isTrouble()).isFalse());

        assertThat(Thread.interrupted()).isTrue();
        assertThat(events).isEmpty();
    }

    @Test
    void writesWhatBecomesOfAFailedMessageAfterItsTransactionWasRolledBack() {
        Claim claim = take();
        Failed unused = released(claim, new IOException("failed"));
        claim.close();

        MessageRecord stored = Objects.requireNonNull(store.find(DedupBench.KEY));
        assertThat(stored.state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored.attempt()).isEqualTo(1);
        assertThat(events).containsExactly("turn", "begin", "rollback", "turn over");
    }

    @Test
    void keepsStepsWhenTheTransactionIsRolledBackForTheNextAttempt() {
        Transactional claim = take();
        claim.store("charge", "7");
        claim.beginAgain();

        assertThat(claim.find("charge")).isEqualTo("7");
        assertThat(events).containsExactly("turn", "begin", "rollback", "begin");
    }

    private static NotHandledException doubtfulStep(Transactional claim) {
        return catchThrowableOfType(NotHandledException.class, () -> claim.store("charge", "7"));
    }

    @Test
    void aStepWhoseResultIsHeldUpByItsOwnTransactionIsStoredAfterTheRollback() {
        Transactional claim = take();
        store.heldUp = Integer.MAX_VALUE;
        long began = timeline.nanoTime();
        NotHandledException held = doubtfulStep(claim);

        assertThat(held.isTrouble()).isFalse();
        assertThat(Duration.ofNanos(timeline.nanoTime() - began)).isLessThan(Duration.ofSeconds(3));
        assertThat(store.find(STEPS)).isNull();
        assertThat(released(claim, held)).isInstanceOf(Failed.class);
        claim.close();

        assertThat(Objects.requireNonNull(store.find(STEPS)).steps()).containsEntry("charge", "7");
        Transactional next = take();
        assertThat(next.find("charge")).isEqualTo("7");
        assertThat(released(next, held)).isInstanceOf(Failed.class);
    }

    @Test
    void aStepWhoseResultTheStoreDoesNotTakeIsStoredWhenItDoes() {
        Transactional claim = take();
        store.unanswered = 200;
        NotHandledException away = doubtfulStep(claim);
        assertThat(away.isTrouble()).isTrue();
        assertThat(released(claim, away)).isInstanceOf(Failed.class);
        claim.close();

        assertThat(store.unanswered).isZero();
        assertThat(Objects.requireNonNull(store.find(STEPS)).steps()).containsEntry("charge", "7");
    }

    @Test
    @Timeout(10)
    void aStepWhoseResultCannotEverBeStoredHoldsUpNobody() {
        Transactional claim = take();
        store.heldUp = 1;
        NotHandledException held = doubtfulStep(claim);
        store.refuses = true;
        assertThat(released(claim, held)).isInstanceOf(Failed.class);
        claim.close();
        store.refuses = false;

        assertThat(store.find(STEPS)).isNull();
        assertThat(events).endsWith("turn over");
        assertThat(claims().claim(handling)).isInstanceOf(Ours.class);
    }

    @Test
    void aStepIsNotStoredAnyMoreOnceItsDeliveryIsOver() {
        Transactional ended = take(new Handling(new CurrentHandling(), MESSAGE, () -> store.unanswered > 900));
        store.unanswered = 1_000;
        NotHandledException away = catchThrowableOfType(NotHandledException.class, () -> ended.store("charge", "7"));
        assertThat(released(ended, away)).isInstanceOf(Failed.class);
        ended.close();

        assertThat(store.unanswered).isBetween(895, 905);
        assertThat(store.find(STEPS)).isNull();
    }

    /** Where versions before kept them. */
    @Test
    void stepsOfAnEarlierVersionAreFoundAndTakenAlong() {
        MessageRecord unused = store.create(new MessageRecord(
                DedupBench.KEY.companion("steps"),
                RecordState.DISPATCHED,
                "earlier",
                1,
                0,
                0,
                Duration.ZERO,
                Fingerprint.of(MESSAGE),
                Map.of("charge", "7"),
                List.of(),
                null,
                null));
        Transactional claim = take();
        assertThat(claim.find("charge")).isEqualTo("7");
        claim.store("post", "8");
        complete(claim);

        assertThat(Objects.requireNonNull(store.find(STEPS)).steps())
                .containsExactlyInAnyOrderEntriesOf(Map.of("charge", "7", "post", "8"));
    }

    private static final RecordKey STEPS = DedupBench.KEY.companionApart("steps");

    /** Its record says that it may be replayed, so what a replay must not repeat is kept as long. */
    @Test
    void keepsTheStepsOfAMessageThatIsSetAsideAsLongAsItsRecord() {
        MessageRecord poisoned = setAsideAfterAStep();
        timeline.advance(DedupBench.RETENTION.multipliedBy(2));
        assertThat(store.removeExpired(10)).isZero();

        Transactional replay = take(replay(poisoned));
        assertThat(replay.find("charge")).isEqualTo("7");
        complete(replay);
        replay.close();

        requireForgottenAfterTheRetention();
    }

    @Test
    void stepsThatAReplayDidNotAskForAreForgottenWithItsRecord() {
        Transactional replay = take(replay(setAsideAfterAStep()));
        complete(replay);
        replay.close();

        requireForgottenAfterTheRetention();
    }

    @Test
    void stepsOfAReplayThatFailsAreKeptAgain() {
        Handling again = replay(setAsideAfterAStep());
        timeline.advance(DedupBench.RETENTION.multipliedBy(12)); // of 90 days
        Transactional replay = take(again);
        assertThat(replay.find("post")).isNull();
        replay.store("post", "8");
        assertThat(poisoned(replay)).isInstanceOf(Poisoned.class);
        replay.close();
        timeline.advance(DedupBench.RETENTION.multipliedBy(12));

        assertThat(store.removeExpired(10)).isZero();
        assertThat(Objects.requireNonNull(store.find(STEPS)).steps()).containsOnlyKeys("charge", "post");
    }

    private MessageRecord setAsideAfterAStep() {
        Transactional claim = take();
        claim.store("charge", "7");
        assertThat(poisoned(claim)).isInstanceOf(Poisoned.class);
        claim.close();
        return Objects.requireNonNull(store.find(DedupBench.KEY));
    }

    private static Handling replay(MessageRecord poisoned) {
        assertThat(poisoned.state()).isEqualTo(RecordState.POISONED);
        return new Handling(
                new CurrentHandling(),
                Wires.orderPlaced()
                        .withHeader("sb-poisoned-at", 1)
                        .withHeader("sb-poison-version", poisoned.version())
                        .envelope());
    }

    private void requireForgottenAfterTheRetention() {
        assertThat(Objects.requireNonNull(store.find(STEPS)).steps()).containsEntry("charge", "7");
        timeline.advance(DedupBench.RETENTION);
        assertThat(store.removeExpired(10)).isEqualTo(2);
        assertThat(store.find(STEPS)).isNull();
    }

    // ---- what is written together

    private static final RecordKey COMPANION = DedupBench.KEY.companion("saga");

    private MessageRecord companion(@Nullable MessageRecord stored, String content) {
        MessageRecord first = MessageRecord.claim(COMPANION, "application", Duration.ZERO, 0, Fingerprint.of(MESSAGE));
        return stored == null
                ? first.withSteps(Map.of("saga", content))
                : stored.nextSteps("application", Map.of("saga", stored.steps().get("saga") + ", " + content));
    }

    /** Somebody else's transaction commits it. */
    private void change(String content) {
        MessageRecord changed = companion(store.committed.find(COMPANION), content);
        assertThat(store.committed.writeTogether(List.of(changed))).isInstanceOf(JointWrite.Written.class);
    }

    private @Nullable String content() {
        return Objects.requireNonNull(store.committed.find(COMPANION)).steps().get("saga");
    }

    @Test
    void whoLosesARaceRunsAgainAndPublishes() throws Exception {
        DedupBench bench = new DedupBench();
        store.beforeJointWrites.add(() -> change("theirs"));
        bench.deliver(bench.over(store), MESSAGE, execution -> {
            execution.join(companion(execution.companion(COMPANION), "ours"));
            bench.publish();
        });

        assertThat(bench.runs).containsExactly(0, 0);
        assertThat(content()).isEqualTo("theirs, ours");
        assertThat(bench.transport.published()).hasSize(1);
    }

    private int stuck;

    private void belongsToASaga() {
        handling.belongsTo(new Membership(MESSAGE.correlationId(), (reason, stored) -> JointRecords.NONE
                .with(companion(stored.apply(COMPANION), "stuck"))
                .andThen(() -> stuck++)));
    }

    @Test
    void setsAsideWithWhatDependsOnItThoughThatIsChangedMeanwhile() {
        belongsToASaga();
        Claim claim = take();
        store.beforeJointWrites.add(() -> change("theirs"));
        store.beforeJointWrites.add(() -> change("theirs too"));
        assertThat(poisoned(claim)).isInstanceOf(Poisoned.class);
        claim.close();

        assertThat(Objects.requireNonNull(store.find(DedupBench.KEY)).state()).isEqualTo(RecordState.POISONED);
        assertThat(content()).isEqualTo("theirs, theirs too, stuck");
        assertThat(stuck).isEqualTo(1);
    }

    /** The transaction in which that is found can do no more. */
    @Test
    void aSilentClaimIsSetAsideByTheNextDeliveryWhenWhatDependsOnItIsChangedMeanwhile() {
        belongsToASaga();
        MessageRecord silent = store.committed.create(
                MessageRecord.claim(DedupBench.KEY, "dead", DedupBench.LEASE, 0, Fingerprint.of(MESSAGE))
                        .withTakeovers(5));
        TransactionalClaims claims = claims();
        assertThat(claims.claim(handling)).isInstanceOf(Busy.class);
        timeline.advance(DedupBench.LEASE);
        store.beforeJointWrites.add(() -> change("theirs"));
        assertThat(claims.claim(handling))
                .isInstanceOfSatisfying(
                        Busy.class, busy -> assertThat(busy.why().isTrouble()).isFalse());
        assertThat(store.find(DedupBench.KEY)).isEqualTo(silent);

        assertThat(claims.claim(handling)).isInstanceOf(Claimed.SetAside.class);
        assertThat(Objects.requireNonNull(store.find(DedupBench.KEY)).state()).isEqualTo(RecordState.POISONED);
        assertThat(content()).isEqualTo("theirs, stuck");
        assertThat(stuck).isEqualTo(1);
    }
}
