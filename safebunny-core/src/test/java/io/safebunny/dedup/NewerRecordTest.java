// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.MESSAGE;
import static io.safebunny.dedup.DedupBench.RETENTION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Another instance of the node is a version ahead and has written the record of the message. */
class NewerRecordTest {

    private final DedupBench bench = new DedupBench();
    private final Unreadable store = new Unreadable(new MemoryMessageStore(bench.timeline, RETENTION));
    private final Deduplication instance = bench.over(store);

    @Test
    void isNotTouchedAndItsMessageComesBackEveryMinuteUnhandled() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(instance, MESSAGE, execution -> {}))
                .satisfies(e -> assertThat(e.delay()).isEqualTo(Duration.ofMinutes(1)))
                .satisfies(e -> assertThat(e.isTrouble())
                        .as("the type goes on with its other messages")
                        .isFalse());

        assertThat(bench.runs).isEmpty();
        assertThat(store.replaced).isFalse();
    }

    private static final class Unreadable extends ForwardingMessageStore {

        private boolean replaced;

        Unreadable(MessageStore others) {
            super(others);
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            throw new UnreadableRecordException(record.key(), "format 2", null);
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            replaced = true;
            return super.replace(record);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            throw new UnreadableRecordException(key, "format 2", null);
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
}
