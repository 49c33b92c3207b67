// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.ExceptionDetails;
import io.safebunny.observation.BoundedLog;
import io.safebunny.spi.store.Fingerprint;
import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.ListingQuery;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.StoreUnavailableException;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.time.VirtualTimeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MarksTest {

    private static final RecordKey HOT = new RecordKey("hot", "hot");
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(5);

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(1));
    private final AtomicInteger refusals = new AtomicInteger();
    private final Marks marks = new Marks(
            new OneHotPartition(),
            timeline,
            task -> {
                int left = refusals.getAndDecrement();
                if (left == 1) {
                    throw new OutOfMemoryError("no thread (simulated)");
                }
                if (left > 1) {
                    throw new RejectedExecutionException("too much to do (simulated)");
                }
                task.run();
            },
            new DedupLog(new BoundedLog(timeline, ExceptionDetails.FULL)));

    private MessageRecord completed(RecordKey key) {
        MessageRecord claim =
                MessageRecord.claim(key, "owner", Duration.ofSeconds(30), 0, Fingerprint.of(DedupBench.MESSAGE));
        return Objects.requireNonNull(store.replace(store.create(claim).next(RecordState.COMPLETED)));
    }

    private RecordState state(RecordKey key) {
        return Objects.requireNonNull(store.find(key)).state();
    }

    @Test
    void oneThatCannotBeMarkedIsNotInTheWayOfTheOthersForEver() {
        marks.add(completed(HOT));
        List<RecordKey> others = new ArrayList<>();
        IntStream.range(0, 500).mapToObj(i -> new RecordKey("c", "m-" + i)).forEach(others::add);
        others.forEach(key -> marks.add(completed(key)));
        timeline.advance(LONG_ENOUGH);

        assertThat(state(HOT)).isEqualTo(RecordState.COMPLETED);
        assertThat(others)
                .filteredOn(key -> state(key) != RecordState.DISPATCHED)
                .hasSizeLessThan(200);
    }

    @Test
    void oneThatCannotBeMarkedIsNotInTheWayOfAFewOthersEither() {
        marks.add(completed(HOT));
        List<RecordKey> others = IntStream.range(0, 10)
                .mapToObj(i -> new RecordKey("c", "m-" + i))
                .toList();
        others.forEach(key -> marks.add(completed(key)));
        timeline.advance(LONG_ENOUGH.multipliedBy(3));

        assertThat(others).allSatisfy(key -> assertThat(state(key)).isEqualTo(RecordState.DISPATCHED));
        assertThat(state(HOT)).isEqualTo(RecordState.COMPLETED);
    }

    @Test
    void goesOnAfterThereWasNoThread() {
        refusals.set(2);
        RecordKey key = new RecordKey("c", "m");
        marks.add(completed(key));
        timeline.advance(LONG_ENOUGH);

        assertThat(state(key)).isEqualTo(RecordState.DISPATCHED);
    }

    /** Takes all or nothing, and nothing with {@link #HOT}. */
    private final class OneHotPartition implements MessageStore {

        @Override
        public void replaceAll(List<MessageRecord> records) {
            if (records.stream().anyMatch(record -> record.key().equals(HOT))) {
                throw new StoreUnavailableException("throttled (simulated)", Duration.ofMillis(1), null);
            }
            records.forEach(this::replace);
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            return store.create(record);
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            return store.replace(record);
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> together) {
            return store.writeTogether(together);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            return store.find(key);
        }

        @Override
        public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
            return store.findCompleted(unchangedFor, limit);
        }

        @Override
        public List<MessageRecord> findDue(Instant until, int limit) {
            return store.findDue(until, limit);
        }

        @Override
        public List<MessageRecord> findListed(ListingQuery query) {
            return store.findListed(query);
        }

        @Override
        public long countListed(String kind, String status) {
            return store.countListed(kind, status);
        }

        @Override
        public int removeExpired(int limit) {
            return store.removeExpired(limit);
        }
    }
}
