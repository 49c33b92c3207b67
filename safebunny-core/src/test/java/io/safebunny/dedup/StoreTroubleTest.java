// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static io.safebunny.fixture.UnreliableStore.Fault.LOST_ANSWER;
import static io.safebunny.fixture.UnreliableStore.Fault.LOST_REQUEST;
import static io.safebunny.fixture.UnreliableStore.Fault.NONE;
import static io.safebunny.fixture.UnreliableStore.Fault.THROTTLED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StoreTroubleTest {

    private final DedupBench bench = new DedupBench();

    @Test
    void handlesNothingWithoutAClaim() throws Exception {
        bench.store.nextWrites(LOST_REQUEST);

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> bench.publish()))
                .satisfies(e -> assertThat(e.isTrouble()).isTrue());
        assertThat(bench.runs).isEmpty();

        bench.deliver(execution -> bench.publish());
        assertThat(bench.transport.published()).hasSize(1);
    }

    @Test
    void givesBackAClaimWhoseAnswerGotLost() throws Exception {
        bench.store.nextWrites(LOST_ANSWER);
        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> bench.deliver(execution -> {}));
        assertThat(bench.stored().state()).isEqualTo(RecordState.RELEASED);

        bench.deliver(execution -> bench.publish());

        assertThat(bench.runs).hasSize(1);
        assertThat(bench.transport.published()).hasSize(1);
    }

    @Test
    void waitsForTheLeaseOfAClaimThatItCannotGiveBack() throws Exception {
        bench.store.nextWrites(LOST_ANSWER, LOST_REQUEST);
        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> bench.deliver(execution -> {}));
        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> bench.deliver(execution -> {}));

        bench.timeline.advance(LEASE);
        bench.deliver(execution -> bench.publish());

        assertThat(bench.runs).hasSize(1);
    }

    @Test
    void pausesForAsLongAsTheStoreAsks() {
        bench.store.nextWrites(THROTTLED);

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {}))
                .satisfies(e -> assertThat(e.pause()).isEqualTo(Duration.ofSeconds(1)));
    }

    @Test
    void triesACompletionAgainWhenTheStoreAsksForIt() throws Exception {
        bench.store.nextWrites(NONE, THROTTLED, THROTTLED);

        bench.deliver(execution -> bench.publish());

        assertThat(bench.timeline.elapsed()).isEqualTo(Duration.ofSeconds(2));
        assertThat(bench.transport.published()).hasSize(1);
    }

    /** The claim is good for half a second more when the store asks for a second: it is tried once more before that is over. */
    @Test
    void triesACompletionOnceMoreBeforeTheLeaseIsOver() throws Exception {
        bench.store.nextWrites(NONE, THROTTLED);

        bench.deliver(execution -> {
            bench.publish();
            bench.timeline.advance(LEASE.minusMillis(500));
        });

        assertThat(bench.timeline.elapsed()).isLessThan(LEASE);
        assertThat(bench.transport.published()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOST_REQUEST", "LOST_ANSWER", "THROTTLED"})
    void completesInASecondTryWhatTheFirstLeftOpen(io.safebunny.fixture.UnreliableStore.Fault fault) throws Exception {
        bench.store.nextWrites(NONE, fault, fault);

        bench.deliver(execution -> bench.publish());

        assertThat(bench.runs).hasSize(1);
        assertThat(bench.transport.published()).hasSize(1);
        bench.deliver(execution -> bench.publish());
        assertThat(bench.runs).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOST_REQUEST", "LOST_ANSWER"})
    void knowsItsOwnRenewalThatGotNoAnswer(io.safebunny.fixture.UnreliableStore.Fault fault) throws Exception {
        bench.instance.start();
        bench.deliver(execution -> {
            bench.store.nextWrites(fault);
            bench.timeline.advance(LEASE.dividedBy(3));
            bench.publish();
        });

        assertThat(bench.transport.published()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOST_REQUEST", "LOST_ANSWER"})
    void takesARenewalWithoutAnswerForNoStepResult(io.safebunny.fixture.UnreliableStore.Fault fault) throws Exception {
        bench.instance.start();
        bench.deliver(execution -> {
            bench.store.nextWrites(fault, NONE);
            bench.timeline.advance(LEASE.dividedBy(3));
            String unused = execution.once("charge", String.class, () -> "c-1");
            assertThat(bench.stored().steps()).containsEntry("charge", "\"c-1\"");
        });

        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void givesUpAfterTheLeaseAndSpendsNoAttempt() throws Exception {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    bench.publish();
                    bench.store.down(true);
                }))
                .satisfies(e -> assertThat(e.isTrouble()).isTrue());
        assertThat(bench.timeline.elapsed()).isBetween(LEASE.minusSeconds(1), LEASE);
        assertThat(bench.transport.attempted()).isEmpty();

        bench.store.down(false);
        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> bench.deliver(execution -> {}));
        bench.timeline.advance(LEASE);
        bench.deliver(execution -> bench.publish());
        assertThat(bench.runs).containsExactly(0, 0);
        assertThat(bench.transport.published()).hasSize(1);
    }

    @Test
    void keepsAReleaseThatGotNoAnswerForTheLease() throws Exception {
        bench.store.nextWrites(NONE, LOST_REQUEST);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    throw new IllegalStateException("failed");
                }));
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(bench.instance, MESSAGE.nextAttempt(), execution -> {}));
        bench.timeline.advance(LEASE);
        bench.deliver(bench.instance, MESSAGE.nextAttempt(), execution -> {});

        assertThat(bench.runs).containsExactly(0, 1);
    }

    @Test
    void marksLaterWhatTheStoreDidNotTakeAndDispatchesNothingTwiceUntilThen() throws Exception {
        bench.store.nextWrites(NONE, NONE, LOST_REQUEST);
        bench.deliver(execution -> bench.publish());
        bench.timeline.advance(Duration.ofMillis(500));
        assertThat(bench.stored().state()).isEqualTo(RecordState.COMPLETED);
        bench.deliver(execution -> bench.publish());
        assertThat(bench.transport.published()).hasSize(1);

        bench.timeline.advance(Duration.ofSeconds(3));
        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void marksTheRestWhenItStops() throws Exception {
        bench.deliver(execution -> bench.publish());

        bench.instance.stop();

        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
    }
}
