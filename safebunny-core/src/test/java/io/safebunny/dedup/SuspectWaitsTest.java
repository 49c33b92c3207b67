// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.claim.RecordRules;
import io.safebunny.failure.policy.Ending.RecordEffect;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message that may end the process is not begun beside others, and does not wait for them for ever. */
@Timeout(30)
class SuspectWaitsTest {

    private static final Duration LEASE = Duration.ofMillis(300);

    private final DedupBench bench = new DedupBench();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void stop() {
        released.countDown();
        threads.shutdownNow();
    }

    @Test
    void itComesBackUnhandledWhenOthersTakeLongerThanALease() throws Exception {
        Deduplication instance = bench.instance(LEASE);
        MessageRecord claim =
                MessageRecord.claim(DedupBench.KEY, "silent", LEASE, 0, Fingerprint.of(DedupBench.MESSAGE));
        bench.store.create(RecordRules.released(claim, RecordEffect.RELEASED, claim.trail())
                .withVersion(1)
                .withTakeovers(3));
        CountDownLatch begun = new CountDownLatch(1);
        Future<?> other = threads.submit(() -> {
            bench.deliver(instance, DedupBench.another(1), execution -> {
                begun.countDown();
                released.await();
            });
            return null;
        });
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(instance, DedupBench.MESSAGE, execution -> {}))
                .withMessageContaining("alone");

        assertThat(bench.runs).as("the other one's").hasSize(1);
        released.countDown();
        other.get(10, TimeUnit.SECONDS);
        bench.deliver(instance, DedupBench.MESSAGE, execution -> {});
        assertThat(bench.runs).hasSize(2);
    }
}
