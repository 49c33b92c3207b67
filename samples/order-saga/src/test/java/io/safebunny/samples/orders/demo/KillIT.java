// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
                    .withKill();

            Report report = new KillRun(options, new Interruption(), output.stream()).run();

            assertThat(output.text())
                    .containsPattern("killed process \\d+ \\(SIGKILL\\)")
                    .containsPattern("process \\d+ went on");
            assertThat(report.completed() + report.cancelled()).isEqualTo(200);
            assertThat(report.poisoned()).isZero();
            assertThat(report.exitStatus()).as(report.json()).isZero();
            assertNothingIsLeft(broker);
        }
    }

    private static void assertNothingIsLeft(SagaBroker broker) throws Exception {
        for (List<String> queues : List.of(SagaBroker.QUEUES, SagaBroker.POISON_QUEUES)) {
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
