// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.Node;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OverdueSweepTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int AT_ONCE = 8;

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MessageStore store =
            new ForwardingMessageStore(new MemoryMessageStore(timeline, Duration.ofDays(7))) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    if (record.key().correlationId().startsWith("bad-")) {
                        timeline.advance(writeTakes);
                        throw new StoreUnavailableException("row is locked", null, null);
                    }
                    return super.replace(record);
                }
            };
    private final List<String> taken = Collections.synchronizedList(new ArrayList<>());
    private Duration writeTakes = Duration.ZERO;
    private Runnable whileTaking = () -> {};

    private final class Rows implements Overdue {
        @Override
        public List<MessageRecord> find(Instant from, Instant until, int limit) {
            return store.findDue(from, until, limit);
        }

        @Override
        public Instant since(Listing listing) {
            Instant due = listing.dueAt();
            return due == null ? Instant.EPOCH : due;
        }

        @Override
        public Listing at(Instant since, Listing listing) {
            return new Listing(listing.kind(), listing.status(), listing.createdAt(), since);
        }

        @Override
        public @Nullable Woken take(MessageRecord record, Instant now) {
            whileTaking.run();
            Listing later = at(now.plus(LEASE), new Listing("Row", "OPEN", now, now));
            MessageRecord next =
                    store.replace(record.nextContent(record.state(), record.owner(), later, record.steps()));
            taken.add(record.key().correlationId());
            return next == null ? null : new Woken(next, List.of());
        }
    }

    private OverdueSweep rounds(Executor blocking) {
        SafeBunnyOptions options = SafeBunnyOptions.of("rows").withLease(LEASE);
        return new OverdueSweep(
                "Rows",
                new Rows(),
                new Node(SafeBunnyParts.builder(options, new RecordingTransport(), timeline)
                        .store(store)
                        .callbacks(blocking)
                        .build()));
    }

    /** @param apart how much later than the one before each is due */
    private void due(String prefix, int count, Instant first, Duration apart) {
        for (int i = 0; i < count; i++) {
            var unused = store.create(MessageRecord.companion(
                    RecordKey.companion(prefix + i, "row"),
                    "test",
                    new Listing("Row", "OPEN", first, first.plus(apart.multipliedBy(i))),
                    Map.of()));
        }
    }

    private Instant ago(Duration duration) {
        return timeline.now().minus(duration);
    }

    @Test
    void thousandsThatCannotBeWrittenStarveNoOthers() {
        due("bad-", 3_000, ago(Duration.ofHours(2)), Duration.ofMillis(1));
        due("good-", 250, ago(Duration.ofHours(1)), Duration.ofMillis(1));

        rounds(Runnable::run).run();

        assertThat(taken).hasSize(250).doesNotHaveDuplicates();
    }

    @Test
    void hundredsOfOneMillisecondThatCannotBeWrittenStarveNoOthers() {
        due("bad-", 500, ago(Duration.ofHours(2)), Duration.ZERO);
        due("good-", 250, ago(Duration.ofHours(2)), Duration.ZERO);
        due("good-later-", 250, ago(Duration.ofHours(1)), Duration.ZERO);

        rounds(Runnable::run).run();

        assertThat(taken).hasSize(500).doesNotHaveDuplicates();
    }

    @Test
    void aRoundThatItsDeadlineEndsIsContinuedByTheNext() {
        due("bad-", 200, ago(Duration.ofHours(2)), Duration.ofMillis(1));
        due("good-", 50, ago(Duration.ofHours(1)), Duration.ofMillis(1));
        writeTakes = LEASE.dividedBy(10); // and as long again to put it off
        OverdueSweep rounds = rounds(Runnable::run);

        for (int round = 0; round < 60; round++) {
            rounds.run();
            timeline.advance(LEASE);
        }

        assertThat(taken.stream().distinct()).hasSize(50);
    }

    @Test
    void takesSeveralAtOnce() throws InterruptedException {
        CyclicBarrier together = new CyclicBarrier(AT_ONCE);
        whileTaking = () -> {
            try {
                int unused = together.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new AssertionError("not at once", e);
            }
        };
        due("good-", 2 * AT_ONCE, ago(Duration.ofHours(1)), Duration.ZERO);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            rounds(threads).run();
        } finally {
            threads.shutdown();
        }

        assertThat(taken).hasSize(2 * AT_ONCE).doesNotHaveDuplicates();
    }

    @Test
    void whatIsNotYetHalfALeaseLateIsLeftToItsMessage() {
        due("good-", 1, ago(LEASE.dividedBy(2).minusMillis(1)), Duration.ZERO);
        OverdueSweep rounds = rounds(Runnable::run);
        rounds.run();
        assertThat(taken).isEmpty();

        timeline.advance(Duration.ofMillis(1));
        rounds.run();

        assertThat(taken).hasSize(1);
    }

    @Test
    void waitsAsLongAgainAsItHasWaitedAndAnHourAtMost() {
        Instant now = timeline.now();
        assertThat(OverdueSweep.backOff(LEASE, now.plusSeconds(5), now)).isEqualTo(LEASE);
        assertThat(OverdueSweep.backOff(LEASE, ago(Duration.ofMinutes(7)), now)).isEqualTo(Duration.ofMinutes(7));
        assertThat(OverdueSweep.backOff(LEASE, ago(Duration.ofDays(7)), now)).isEqualTo(Duration.ofHours(1));
    }
}
