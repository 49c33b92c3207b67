// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.ShiftedTimeline;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A wall clock that jumps decides nothing about claims. */
class WallClockTest {

    private final DedupBench bench = new DedupBench();
    private final ShiftedTimeline jumping = new ShiftedTimeline(bench.timeline, Duration.ZERO);
    private final Deduplication observer = bench.instance(jumping, LEASE);

    private void expectBusy() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(observer, MESSAGE, execution -> {}));
    }

    @Test
    void thatJumpsForwardTakesNoClaimFromAProcessThatIsAlive() throws Exception {
        bench.deliver(execution -> {
            expectBusy();
            jumping.shift(Duration.ofDays(8));
            expectBusy();
        });

        assertThat(bench.runs).hasSize(1);
    }

    @Test
    void thatJumpsBackDoesNotKeepTheClaimOfADeadOne() throws Exception {
        bench.crash(bench.instance, execution -> {});
        expectBusy();
        jumping.shift(Duration.ofDays(-8));
        bench.timeline.advance(LEASE);

        bench.deliver(observer, MESSAGE, execution -> {});

        assertThat(bench.runs).hasSize(2);
    }

    @Test
    void thatJumpsForwardEndsNoStepOfAClaimThatIsAlive() throws Exception {
        bench.deliver(observer, MESSAGE, execution -> {
            jumping.shift(Duration.ofDays(8));
            assertThat(execution.once("charge", Integer.class, () -> 1)).isEqualTo(1);
        });

        assertThat(bench.runs).hasSize(1);
    }
}
