// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.demo.accounts.Orchestration;
import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.command.CommandLine;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.StoreChoice;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Tag("once")
class DemoTest {

    private static final StoreChoice H2 = StoreChoice.of(StoreChoice.Kind.H2);

    private final Output output = new Output();

    private Report run(Options options) {
        return new Run(options, new Interruption(), output.stream()).placeOrders();
    }

    @Test
    void everyOrderComesToItsEndOnce() {
        Report report = run(Options.defaults().withOrders(100));

        assertThat(report.orders()).isEqualTo(100);
        assertThat(report.completed() + report.cancelled()).isEqualTo(100);
        assertThat(report.completed()).isPositive();
        assertThat(report.cancelled()).isPositive();
        assertThat(report.duplicatesDelivered()).isZero();
        assertThat(report.retriesInMemory() + report.retriesDelayed() + report.poisoned())
                .isZero();
        assertThat(report.exitStatus()).isZero();
    }

    /** With record and ledger in one transaction, whatever rolls one back rolls back the other. */
    @ParameterizedTest
    @ValueSource(longs = {1, -9})
    void chaosLosesAndDoublesNothingWithTheStoreInTheLedgersDatabase(long seed) {
        Report report = run(Options.defaults().withOrders(100).withChaos(seed).withStore(H2));

        assertThat(report.completed() + report.cancelled()).isEqualTo(100);
        assertThat(report.duplicatesSuppressed()).isPositive();
        assertThat(report.retriesInMemory()).isPositive();
        assertThat(report.poisoned()).isZero();
        assertThat(report.exitStatus()).as(report.json()).isZero();
    }

    @Test
    void everyOrderComesToItsEndOnceWithTheStoreInTheLedgersDatabase() {
        Report report = run(Options.defaults().withOrders(100).withStore(H2));

        assertThat(report.completed() + report.cancelled()).isEqualTo(100);
        assertThat(report.retriesInMemory() + report.retriesDelayed() + report.poisoned())
                .isZero();
        assertThat(report.exitStatus()).as(report.json()).isZero();
    }

    @Test
    void theSummaryOfAServedSagaSaysWhoseItIs() {
        Options alone = Options.defaults().withOrders(1);
        Report report = run(alone);

        assertThat(Demo.summary(CommandLine.parse("--serve", "--rabbit", "amqp://localhost"), report))
                .contains("what process " + ProcessHandle.current().pid() + " did")
                .contains("others serve the same broker");
        assertThat(Demo.summary(alone, report))
                .doesNotContain("process " + ProcessHandle.current().pid());
    }

    @Test
    void withoutDeduplicationTheLedgerInADatabaseShowsDoublesToo() {
        Report report = run(
                Options.defaults().withOrders(300).withChaos(1).withStore(H2).with(Options.Flag.WITHOUT_DEDUPLICATION));

        assertThat(report.doubleCharges()).isPositive();
        assertThat(report.doubleRefunds()).isPositive();
        assertThat(report.exitStatus()).isEqualTo(1);
    }

    /** Proves that repeated calls, which the store prevents, would show in a remote ledger. */
    @Test
    void withoutDeduplicationCallsAreRepeatedAndKnownByTheirKey() {
        Report report = run(Options.defaults()
                .withOrders(300)
                .withChaos(1)
                .withStore(StoreChoice.of(StoreChoice.Kind.COSMOS))
                .with(Options.Flag.WITHOUT_DEDUPLICATION));

        assertThat(report.repeatedCalls()).isPositive();
        assertThat(report.exitStatus()).as(report.json()).isZero();
    }

    @Test
    void lastLineIsTheReportAsJson() {
        int status = Demo.run(
                Options.defaults().withOrders(10).with(Options.Flag.JSON), new Interruption(), output.stream());

        assertThat(status).isZero();
        JsonNode json = JsonMapper.shared().readTree(output.lastLine());
        assertThat(json.propertyNames())
                .contains(
                        "orders",
                        "completed",
                        "cancelled",
                        "lost",
                        "doubleCharges",
                        "doubleShipments",
                        "duplicatesDelivered",
                        "duplicatesSuppressed",
                        "retriesInMemory",
                        "retriesDelayed",
                        "poisoned",
                        "seconds")
                .doesNotContain("clean", "stuck", "orchestration");
        assertThat(json.get("orders").asInt()).isEqualTo(10);
    }

    @Test
    void tableSaysInWordsHowItWent() {
        int status = Demo.run(Options.defaults().withOrders(10), new Interruption(), output.stream());

        assertThat(status).isZero();
        assertThat(output.text())
                .contains("10 orders in")
                .contains("nothing happened twice")
                .doesNotContain("\r");
    }

    @Test
    void anOrchestratorBringsEveryOrderToItsEndOnce() {
        Report report = run(Options.defaults().withOrders(100).with(Options.Flag.ORCHESTRATED));

        assertThat(report.completed() + report.cancelled()).isEqualTo(100);
        assertThat(report.retriesInMemory() + report.retriesDelayed() + report.poisoned())
                .isZero();
        Orchestration sagas = Objects.requireNonNull(report.orchestration());
        assertThat(sagas.compensated()).isPositive();
        assertThat(sagas.releases()).isEqualTo(sagas.compensated());
        assertThat(sagas.shipments()).isEqualTo(report.completed());
        assertThat(sagas.timeouts() + sagas.stuck() + sagas.compensationFailed() + sagas.repairs())
                .isZero();
        assertThat(report.exitStatus()).as(report.json()).isZero();
    }

    /** Payments are late, messages are set aside for good, and a person repairs: everything that failed is undone all the same. */
    @Test
    void chaosLeavesNoSagaUnfinished() {
        Report report = run(Options.defaults().withOrders(60).withChaos(5).with(Options.Flag.ORCHESTRATED));

        assertThat(report.completed() + report.cancelled()).isEqualTo(60);
        assertThat(report.poisoned()).isPositive();
        Orchestration sagas = Objects.requireNonNull(report.orchestration());
        assertThat(sagas.compensated()).isPositive();
        assertThat(sagas.timeouts()).isPositive();
        assertThat(sagas.stuck()).isPositive();
        assertThat(sagas.compensationFailed()).isPositive();
        assertThat(sagas.repairs()).isPositive();
        assertThat(sagas.unfinished()).isZero();
        assertThat(sagas.unbalanced()).isZero();
        assertThat(report.exitStatus()).as(report.json()).isZero();
    }

    @Test
    void theReportOfAnOrchestratorSaysMore() {
        Options options = Options.defaults().withOrders(10).with(Options.Flag.ORCHESTRATED);

        int status = Demo.run(options.with(Options.Flag.JSON), new Interruption(), output.stream());

        assertThat(status).isZero();
        assertThat(JsonMapper.shared().readTree(output.lastLine()).propertyNames())
                .contains("lost", "compensated", "compensationFailed", "timeouts", "stuck", "unfinished", "unbalanced")
                .doesNotContain("orchestration", "clean");
    }

    /** An interrupted run reports unfinished orders as lost. */
    @Test
    void interruptedRunCountsUnfinishedOrdersAsLost() {
        Interruption interruption = new Interruption();
        interruption.request();

        Report report = new Run(Options.defaults().withOrders(50), interruption, output.stream()).placeOrders();

        assertThat(report.lost())
                .isEqualTo(50 - report.completed() - report.cancelled())
                .isPositive();
        assertThat(report.exitStatus()).isEqualTo(1);
    }
}
