// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.demo.accounts.Orchestration;
import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.StoreChoice;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
class KillIT {

    private final Output output = new Output();

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void theOtherInstanceFinishesWithoutLossOrDoubles() throws Exception {
        try (SagaBroker broker = SagaBroker.open("order-saga-kill-" + UUID.randomUUID())) {
            Options options = Options.defaults()
                    .withOrders(200)
                    .withRabbit(broker.address())
                    .withStore(StoreChoice.of(StoreChoice.Kind.H2))
                    .with(Options.Flag.KILL);

            Report report = new KillRun(options, new Interruption(), output.stream()).run();

            assertThat(output.text())
                    .containsPattern("killed process \\d+ \\(SIGKILL\\)")
                    .containsPattern("process \\d+ went on");
            assertThat(report.completed() + report.cancelled()).isEqualTo(200);
            assertThat(report.poisoned()).isZero();
            assertThat(report.exitStatus()).as(report.json()).isZero();
            assertNothingIsLeft(broker, SagaBroker.QUEUES);
        }
    }

    /** Of the one that was killed, sagas go on in the other, and no undo is forgotten. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void theOtherInstanceBringsTheSagasToTheirEnd() throws Exception {
        try (SagaBroker broker = SagaBroker.open("order-saga-kill-" + UUID.randomUUID())) {
            Options options = Options.defaults()
                    .withOrders(150)
                    .with(Options.Flag.ORCHESTRATED)
                    .withRabbit(broker.address())
                    .withStore(StoreChoice.of(StoreChoice.Kind.H2))
                    .with(Options.Flag.KILL);

            Report report = new KillRun(options, new Interruption(), output.stream()).run();

            assertThat(output.text()).containsPattern("killed process \\d+ \\(SIGKILL\\)");
            assertThat(report.completed() + report.cancelled()).isEqualTo(150);
            assertThat(report.poisoned()).isZero();
            Orchestration sagas = Objects.requireNonNull(report.orchestration());
            assertThat(sagas.compensated()).isPositive();
            assertThat(sagas.unfinished()).isZero();
            assertThat(report.exitStatus()).as(report.json()).isZero();
            assertNothingIsLeft(broker, SagaBroker.ORCHESTRATED_QUEUES);
        }
    }

    private static void assertNothingIsLeft(SagaBroker broker, List<String> work) throws Exception {
        for (List<String> queues : List.of(work, SagaBroker.POISON_QUEUES)) {
            for (String queue : queues) {
                assertThat(broker.messages(queue)).as(queue).isZero();
            }
        }
        assertThat(ProcessHandle.current().children().filter(KillIT::isInstance))
                .isEmpty();
    }

    private static boolean isInstance(ProcessHandle child) {
        return child.info().commandLine().orElse("").contains(Instance.ARGUMENT);
    }
}
