// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.StoreChoice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** With private servers, on the in-process broker. */
@Tag("once")
class DemoStoresIT {

    @ParameterizedTest
    @EnumSource(names = {"POSTGRES", "MYSQL", "COSMOS"})
    void chaosLosesAndDoublesNothing(StoreChoice.Kind store) {
        Options options = Options.defaults().withOrders(200).withChaos(7).withStore(StoreChoice.of(store));

        Report report = new Run(options, new Interruption(), new Output().stream()).placeOrders();

        assertThat(report.completed() + report.cancelled()).isEqualTo(200);
        assertThat(report.duplicatesDelivered()).isPositive();
        assertThat(report.duplicatesSuppressed()).isPositive();
        assertThat(report.retriesInMemory()).isPositive();
        assertThat(report.poisoned()).isZero();
        // chaos strikes after a call to the remote ledger, and a completed step is not repeated
        assertThat(report.repeatedCalls()).isZero();
        assertThat(report.exitStatus()).as(report.json()).isZero();
    }

    @Test
    void anOrchestratorNeedsBatchesOfCosmosDb() {
        Options options = Options.defaults()
                .withOrders(40)
                .with(Options.Flag.ORCHESTRATED)
                .withStore(StoreChoice.of(StoreChoice.Kind.COSMOS));

        Report report = new Run(options, new Interruption(), new Output().stream()).placeOrders();

        assertThat(report.completed() + report.cancelled()).isEqualTo(40);
        assertThat(report.exitStatus()).as(report.json()).isZero();
    }
}
