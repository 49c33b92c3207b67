// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.KEY;
import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to a claim whose owner crashed, stopped for a while, or just takes long. */
class LeaseTest {

    private static final Duration MOMENT = Duration.ofMillis(1);

    private final DedupBench bench = new DedupBench();
    private final Deduplication other = bench.instance();

    private void expectBusy(Deduplication instance) {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(instance, MESSAGE, execution -> {}))
                .satisfies(e -> assertThat(e.delay()).isBetween(Duration.ofMillis(100), LEASE.dividedBy(6)));
    }

    @Test
    void isTakenOverWhenItHasNotChangedForAWholeLeaseByTheObserversClock() throws Exception {
        bench.crash(bench.instance, execution -> bench.publish());
        bench.timeline.advance(LEASE.multipliedBy(10)); // nobody looked
        expectBusy(other);
        bench.timeline.advance(LEASE.minus(MOMENT));
        expectBusy(other);

        bench.timeline.advance(MOMENT);
        bench.deliver(other, MESSAGE, execution -> bench.publish());

        assertThat(bench.runs).hasSize(2);
        assertThat(bench.transport.published()).hasSize(1);
        assertThat(bench.counted("takeover")).isEqualTo(1);
    }

    @Test
    void isRenewedWhileTheHandlerRuns() throws Exception {
        bench.instance.start();
        bench.deliver(execution -> {
            for (int i = 0; i < 20; i++) {
                expectBusy(other);
                bench.timeline.advance(LEASE.dividedBy(2));
            }
            bench.publish();
        });

        assertThat(bench.runs).hasSize(1);
        assertThat(bench.transport.published()).hasSize(1);
    }

    @Test
    void dropsThePublicationsOfAZombie() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    bench.publish();
                    expectBusy(other);
                    bench.timeline.advance(LEASE); // this process stands still
                    bench.deliver(other, MESSAGE, unused -> {});
                }))
                .withMessageContaining("Lost the claim");

        assertThat(bench.transport.attempted()).isEmpty();
        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(bench.counted("lost")).isEqualTo(1);
    }

    @Test
    void doesNotLetAZombieReleaseWhatIsNotItsOwnAnyMore() throws Exception {
        IllegalStateException failure = new IllegalStateException("too late");
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    expectBusy(other);
                    bench.timeline.advance(LEASE);
                    bench.deliver(other, MESSAGE, unused -> {});
                    throw failure;
                }))
                .satisfies(comesBack -> assertThat(comesBack).hasSuppressedException(failure));

        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
        bench.deliver(execution -> {});
        assertThat(bench.runs).hasSize(2);
    }

    @Test
    void startsNoStepOfAZombie() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    bench.timeline.advance(LEASE);
                    execution.once("charge", Boolean.class, () -> {
                        throw new AssertionError("charged");
                    });
                }));
    }

    @Test
    void setsAsideAMessageThatEndsEveryProcess() throws Exception {
        bench.crash(bench.instance, execution -> {});
        for (int i = 0; i < DedupBench.TAKEOVER_LIMIT; i++) {
            expectBusy(other);
            bench.timeline.advance(LEASE);
            bench.crash(other, execution -> {});
        }
        expectBusy(other);
        bench.timeline.advance(LEASE);

        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> bench.deliver(other, MESSAGE, execution -> {}))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(PoisonReason.DELIVERY_LIMIT));
        assertThat(bench.runs).hasSize(1 + DedupBench.TAKEOVER_LIMIT);
        bench.replay(execution -> {});
        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void forgivesSilentClaimsOnceAHandlingEnds() {
        bench.crash(bench.instance, execution -> {});
        expectBusy(other);
        bench.timeline.advance(LEASE);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> bench.deliver(other, MESSAGE, execution -> {
                    assertThat(bench.stored().takeovers()).isEqualTo(1);
                    throw new IllegalStateException("failed in an orderly way");
                }));

        assertThat(bench.stored().takeovers()).isZero();
    }

    @Test
    void isSentByTheSweeperWhenTheDeliveryNeverComesBack() throws Exception {
        bench.transport.answerNext(RecordingTransport.UNROUTABLE);
        bench.deliver(execution -> bench.publish());
        other.start();

        bench.timeline.advance(LEASE.multipliedBy(2).plusSeconds(1));

        assertThat(bench.transport.published()).hasSize(1);
        assertThat(bench.store.find(KEY))
                .satisfies(record -> assertThat(record.state()).isEqualTo(RecordState.DISPATCHED));
    }

    @Test
    void isSweptAgainAndAgainUntilItsPublicationsAreConfirmed() throws Exception {
        bench.transport.answerNext(
                RecordingTransport.UNROUTABLE, RecordingTransport.NACK, RecordingTransport.UNROUTABLE);
        bench.deliver(execution -> bench.publish());
        bench.instance.start();
        other.start();

        bench.timeline.advance(LEASE.multipliedBy(8));

        assertThat(bench.transport.published()).hasSize(1);
    }
}
