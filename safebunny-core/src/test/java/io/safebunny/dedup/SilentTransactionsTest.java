// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.safebunny.recovery.NotHandledException;
import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.ListingQuery;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.StoreUnavailableException;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.time.VirtualTimeline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The claim waited until its time was up: for another delivery's transaction, or for a database that answers nobody. */
class SilentTransactionsTest {

    private final DedupBench bench = new DedupBench();
    private final LockedStore store = new LockedStore();
    private final Deduplication deduplication = bench.over(store);

    /** Whose inserts wait in vain. */
    private static final class LockedStore implements TransactionalMessageStore {
        private final MemoryMessageStore records =
                new MemoryMessageStore(VirtualTimeline.skipping(), DedupBench.RETENTION);
        private boolean answersNobody;

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
        public JointWrite writeTogether(List<MessageRecord> together) {
            return records.writeTogether(together);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            if (answersNobody) {
                throw timeout();
            }
            return records.find(key);
        }

        @Override
        public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
            return List.of();
        }

        @Override
        public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
            return records.findDue(from, until, limit);
        }

        @Override
        public List<MessageRecord> findListed(ListingQuery query) {
            return records.findListed(query);
        }

        @Override
        public long countListed(String kind, String status) {
            return records.countListed(kind, status);
        }

        @Override
        public @Nullable MessageRecord findAndLock(RecordKey key) {
            return find(key);
        }

        @Override
        public int removeExpired(int limit) {
            return 0;
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
