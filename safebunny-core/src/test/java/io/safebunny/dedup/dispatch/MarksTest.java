// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.observation.BoundedLog;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
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
        MessageRecord claim = MessageRecord.claim(
                key,
                "owner",
                Duration.ofSeconds(30),
                0,
                Fingerprint.of(Wires.orderPlaced().envelope()));
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
    private final class OneHotPartition extends ForwardingMessageStore {

        OneHotPartition() {
            super(store);
        }

        @Override
        public void replaceAll(List<MessageRecord> records) {
            if (records.stream().anyMatch(record -> record.key().equals(HOT))) {
                throw new StoreUnavailableException("throttled (simulated)", Duration.ofMillis(1), null);
            }
            records.forEach(this::replace);
        }
    }
}
