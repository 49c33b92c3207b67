// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction.RetryDelayed;
import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.StoreUnavailableException;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.time.VirtualTimeline;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** In which order turn, transaction and writes follow each other. */
class TransactionalClaimsTest {

    private final List<String> events = new ArrayList<>();
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final RecordingStore store = new RecordingStore();
    private final Handling handling = new Handling(new CurrentHandling(), MESSAGE);
    private final MessageClaim claim = claims().of(handling);

    private TransactionalClaims claims() {
        DedupLog log = new DedupLog(new BoundedLog(timeline, ExceptionDetails.FULL));
        DedupOptions options = new DedupOptions(DedupBench.LEASE, 5);
        return new TransactionalClaims(
                store,
                timeline,
                log,
                new Claiming(
                        store,
                        timeline,
                        new Metrics(new SimpleMeterRegistry()),
                        Events.unheard(timeline),
                        log,
                        options));
    }

    /** Of one message, in one transaction at a time. */
    private final class RecordingStore implements TransactionalMessageStore {

        private final MemoryMessageStore committed = new MemoryMessageStore(timeline, DedupBench.RETENTION);
        private final List<MessageRecord> uncommitted = new ArrayList<>();
        private boolean open;
        private boolean down;

        @Override
        public Turn awaitTurn() throws InterruptedException {
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
            return new LocalTransaction() {
                @Override
                public void commit() {
                    events.add("commit");
                    open = false;
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
                    uncommitted.clear();
                }
            };
        }

        @Override
        public <T> T apart(Supplier<T> action) {
            boolean before = open;
            open = false;
            try {
                return action.get();
            } finally {
                open = before;
            }
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
        public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
            return List.of();
        }

        @Override
        public int removeExpired(int limit) {
            return 0;
        }
    }

    @Test
    void commitsBeforeItsTurnIsOver() throws Exception {
        claim.take();
        claim.run(() -> events.add("handler"));
        assertThat(claim.complete().state()).isEqualTo(RecordState.DISPATCHED);
        claim.close();

        assertThat(events).containsExactly("turn", "begin", "handler", "commit", "turn over");
    }

    @Test
    void leavesNoTransactionOpenForADuplicate() {
        claim.take();
        claim.complete();
        claim.close();
        events.clear();

        MessageClaim second = claims().of(handling);
        assertThat(second.take().state()).isEqualTo(RecordState.DISPATCHED);
        second.close();
        assertThat(events).containsExactly("turn", "begin", "rollback", "turn over");
    }

    @Test
    void leavesNoTransactionOpenWhenItCannotClaim() {
        store.down = true;
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(claim::take)
                .satisfies(e -> assertThat(e.isTrouble()).isTrue());
        claim.close();

        assertThat(events).containsExactly("turn", "begin", "rollback", "turn over");
    }

    @Test
    void aWaitForItsTurnThatIsInterruptedIsNoTrouble() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(claim::take)
                .satisfies(e -> assertThat(e.isTrouble()).isFalse());
        claim.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(events).isEmpty();
    }

    @Test
    void writesWhatBecomesOfAFailedMessageAfterItsTransactionWasRolledBack() {
        MessageRecord claimed = claim.take();
        claim.release(new IOException("failed"), new RetryDelayed(Duration.ZERO));
        claim.close();

        MessageRecord stored = Objects.requireNonNull(store.find(claimed.key()));
        assertThat(stored.state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored.attempt()).isEqualTo(1);
        assertThat(events).containsExactly("turn", "begin", "rollback", "turn over");
    }

    @Test
    void keepsStepsWhenTheTransactionIsRolledBackForTheNextAttempt() {
        claim.take();
        claim.store("charge", "7");
        claim.beginAgain();

        assertThat(claim.find("charge")).isEqualTo("7");
        assertThat(events).containsExactly("turn", "begin", "rollback", "begin");
    }
}
