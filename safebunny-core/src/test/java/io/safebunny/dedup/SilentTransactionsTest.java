// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The claim waited until its time was up: for another delivery's transaction, or for a database that answers nobody. */
class SilentTransactionsTest {

    private final DedupBench bench = new DedupBench();
    private final LockedStore store = new LockedStore();
    private final Deduplication deduplication = bench.over(store);

    /** Whose inserts wait in vain. */
    private static final class LockedStore extends ForwardingMessageStore implements TransactionalMessageStore {
        private boolean answersNobody;

        LockedStore() {
            super(new MemoryMessageStore(VirtualTimeline.skipping(), DedupBench.RETENTION));
        }

        private static StoreUnavailableException timeout() {
            return new StoreUnavailableException("locked, or too slow", Duration.ofSeconds(1), null);
        }

        @Override
        public LocalTransaction begin() {
            return new LocalTransaction() {
                @Override
                public void commit() {}

                @Override
                public void rollback() {}
            };
        }

        @Override
        public <T> T apart(Supplier<T> action) {
            return action.get();
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            throw timeout();
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            throw timeout();
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            if (answersNobody) {
                throw timeout();
            }
            return super.find(key);
        }

        @Override
        public @Nullable MessageRecord findAndLock(RecordKey key) {
            return find(key);
        }
    }

    private NotHandledException delivered() {
        return catchThrowableOfType(
                NotHandledException.class,
                () -> bench.deliver(deduplication, DedupBench.MESSAGE, execution -> bench.publish()));
    }

    @Test
    void lettingOneMessageWaitIsNoTroubleOfTheType() {
        assertThat(delivered().isTrouble()).isFalse();
        assertThat(bench.runs).isEmpty();
    }

    @Test
    void answeringNobodyIsTrouble() {
        store.answersNobody = true;

        NotHandledException failure = delivered();

        assertThat(failure.isTrouble()).isTrue();
        assertThat(failure.pause()).isEqualTo(Duration.ofSeconds(1));
        assertThat(bench.runs).isEmpty();
    }
}
