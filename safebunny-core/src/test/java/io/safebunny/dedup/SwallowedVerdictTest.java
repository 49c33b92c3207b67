// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.Published;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handling.Handling;
import org.junit.jupiter.api.Test;

/** A handler that catches everything takes "the store did not answer" for "the charge failed", and says so. */
class SwallowedVerdictTest {

    private final DedupBench bench = new DedupBench();
    private int charges;

    private void chargeOrDecline(Handling execution) {
        try {
            int unused = execution.once("charge", Integer.class, () -> ++charges);
        } catch (RuntimeException e) {
            Published unused = bench.bunny.publish(new OrderPlaced("declined", 0));
        }
    }

    @Test
    void nothingIsPublishedWhenTheResultOfAStepCouldNotBeStored() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    bench.store.down(true);
                    try {
                        chargeOrDecline(execution);
                    } finally {
                        bench.store.down(false);
                    }
                }));

        assertThat(charges).isEqualTo(1);
        assertThat(bench.transport.published()).isEmpty();
    }

    /** Nobody took it over, so that its completion would be written. */
    @Test
    void nothingIsPublishedWhenAStepWasNotBegunBecauseTheLeaseIsOver() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    bench.timeline.advance(LEASE);
                    chargeOrDecline(execution);
                }));

        assertThat(charges).isZero();
        assertThat(bench.transport.published()).isEmpty();
    }
}
