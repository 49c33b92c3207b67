// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One message's record in memory: claimed, completed, and removed at once, so that the heap stays small. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class StoreBenchmark {

    private final SystemTimeline timeline = new SystemTimeline("benchmark");
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ZERO);
    private final Duration lease = Duration.ofSeconds(30);
    private long ids;

    @TearDown
    public void tearDown() {
        timeline.close();
    }

    @Benchmark
    public @Nullable MessageRecord claimAndComplete() {
        RecordKey key = new RecordKey("db19dadf-39d7-4529-836d-cb89e97bfb48", "id-" + ids++);
        MessageRecord claim =
                store.create(MessageRecord.claim(key, "owner", lease, 0, new Fingerprint(Fingerprint.SHA256, 42, 42)));
        MessageRecord completed = store.replace(claim.completed(List.of()));
        store.removeExpired(1);
        return completed;
    }
}
