// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.command.Options;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chaos on choreographed orders in memory; apart from {@link DemoTest}, so that the two run side by side. */
@Tag("once")
class DemoChaosTest {

    private final Output output = new Output();

    private Report run(Options options) {
        return new Run(options, new Interruption(), output.stream()).placeOrders();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, -4, 5_000_000_000L})
    void chaosLosesAndDoublesNothing(long seed) {
        Report report = run(Options.defaults().withOrders(100).withChaos(seed));

        assertThat(report.lost()).isZero();
        assertThat(report.missingMails()).isZero();
        assertThat(report.doubleCharges()).isZero();
        assertThat(report.doubleShipments()).isZero();
        assertThat(report.doubleRefunds()).isZero();
        assertThat(report.doubleMails()).isZero();
        assertThat(report.doubleSteps()).isZero();
        assertThat(report.duplicatesDelivered()).isPositive();
        assertThat(report.duplicatesSuppressed()).isPositive();
        assertThat(report.retriesInMemory()).isPositive();
        assertThat(report.poisoned()).isZero();
        assertThat(report.exitStatus()).isZero();
    }

    @Test
    void chaosGoesBeyondRetriesInMemory() {
        assertThat(run(Options.defaults().withOrders(300).withChaos(1)).retriesDelayed())
                .isPositive();
    }

    /**
     * Proves that the ledger shows the double effects that deduplication prevents: the other tests are not green out of
     * blindness.
     */
    @Test
    void withoutDeduplicationTheLedgerShowsDoubles() {
        Report report = run(Options.defaults().withOrders(300).withChaos(1).with(Options.Flag.WITHOUT_DEDUPLICATION));

        assertThat(report.lost()).isZero();
        assertThat(report.doubleCharges()).isPositive();
        assertThat(report.doubleShipments()).isPositive();
        assertThat(report.doubleMails()).as("of the node that keeps its store").isZero();
        assertThat(report.exitStatus()).isEqualTo(1);
        assertThat(report.table("here")).contains("NOT GOOD");
    }
}
