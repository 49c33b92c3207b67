// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.dedup.claim.RecordRules;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.Ending.RecordEffect;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message of whose claims several in a row fell silent is suspected of ending the process. */
@Timeout(30)
class HandledAloneTest {

    private static final Duration LEASE = Duration.ofMillis(300);
    private static final int OTHERS = 20;

    private final DedupBench bench = new DedupBench();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void stop() {
        released.countDown();
        threads.shutdownNow();
    }

    private void suspect() {
        MessageRecord claim =
                MessageRecord.claim(DedupBench.KEY, "silent", LEASE, 0, Fingerprint.of(DedupBench.MESSAGE));
        bench.store.create(RecordRules.released(claim, RecordEffect.RELEASED, claim.trail())
                .withVersion(1)
                .withTakeovers(3));
    }

    private Future<?> handleUntilReleased(Deduplication instance) throws Exception {
        Future<?> handling = threads.submit(() -> {
            bench.deliver(instance, DedupBench.MESSAGE, execution -> {
                begun.countDown();
                released.await();
            });
            return null;
        });
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        return handling;
    }

    @Test
    void othersWaitForIt() throws Exception {
        Deduplication patient = bench.instance(new VirtualTimeline(), Duration.ofSeconds(20));
        suspect();
        Future<?> alone = handleUntilReleased(patient);
        Future<?> other = threads.submit(() -> {
            bench.deliver(patient, DedupBench.another(1), execution -> {});
            return null;
        });

        assertThatThrownBy(() -> other.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        released.countDown();
        alone.get(10, TimeUnit.SECONDS);
        other.get(10, TimeUnit.SECONDS);
    }

    /** The first of them waits a lease; if each did, it would be six seconds. */
    @Test
    void whenItDoesNotReturnTheOthersGoOnAtFullSpeed() throws Exception {
        Deduplication instance = bench.instance(LEASE);
        suspect();
        Future<?> stuck = handleUntilReleased(instance);
        Duration before = bench.timeline.elapsed();
        for (int i = 0; i < OTHERS; i++) {
            bench.deliver(instance, DedupBench.another(i), execution -> {});
        }

        assertThat(bench.timeline.elapsed().minus(before)).isLessThan(LEASE.multipliedBy(OTHERS / 2));
        assertThat(stuck).isNotDone();
    }
}
