// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static io.safebunny.proof.demo.SagaBroker.contract;
import static io.safebunny.proof.demo.SagaBroker.placeOrder;
import static io.safebunny.proof.demo.SagaBroker.publish;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.safebunny.proof.demo.accounts.Orchestration;
import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.StoreChoice;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DemoRabbitIT {

    private SagaBroker broker;

    @BeforeEach
    void open() throws Exception {
        broker = SagaBroker.open("order-saga-" + UUID.randomUUID());
    }

    @AfterEach
    void close() throws Exception {
        broker.close();
    }

    private Options options() {
        return Options.defaults().withRabbit(broker.address());
    }

    @ParameterizedTest
    @EnumSource(names = {"MEMORY", "H2", "POSTGRES"})
    void chaosLosesAndDoublesNothing(StoreChoice.Kind store) throws Exception {
        Options options = options().withOrders(200).withChaos(11).withStore(StoreChoice.of(store));
        Report report = new Run(options, new Interruption(), new Output().stream()).placeOrders();

        assertThat(report.completed() + report.cancelled()).isEqualTo(200);
        assertThat(report.lost()).isZero();
        assertThat(report.doubleCharges()).isZero();
        assertThat(report.doubleShipments()).isZero();
        assertThat(report.duplicatesDelivered()).isPositive();
        assertThat(report.duplicatesSuppressed()).isPositive();
        assertThat(report.retriesInMemory()).isPositive();
        assertThat(report.poisoned()).isZero();
        assertThat(report.exitStatus()).isZero();
        for (String queue : SagaBroker.QUEUES) {
            assertThat(broker.messages(queue)).as(queue).isZero();
        }
        for (String queue : SagaBroker.POISON_QUEUES) {
            assertThat(broker.messages(queue)).as(queue).isZero();
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void chaosLeavesNoSagaUnfinished() throws Exception {
        Options options = options()
                .withOrders(80)
                .withChaos(5)
                .with(Options.Flag.ORCHESTRATED)
                .withStore(StoreChoice.of(StoreChoice.Kind.POSTGRES));
        Report report = new Run(options, new Interruption(), new Output().stream()).placeOrders();

        assertThat(report.completed() + report.cancelled()).as(report.json()).isEqualTo(80);
        Orchestration sagas = Objects.requireNonNull(report.orchestration());
        assertThat(sagas.compensated()).isPositive();
        assertThat(report.poisoned()).isPositive();
        assertThat(report.exitStatus()).as(report.json()).isZero();
        for (String queue : SagaBroker.ORCHESTRATED_QUEUES) {
            assertThat(broker.messages(queue)).as(queue).isZero();
        }
    }

    @Test
    void takesOrdersOfAnyClientOnce() throws Exception {
        String order = "foreign-" + UUID.randomUUID();
        BasicProperties properties =
                contract(order).headers(Map.of("tenant", "acme")).build();
        Report report;
        try (ServedSaga saga = ServedSaga.start(options());
                Channel channel = broker.channel()) {
            channel.confirmSelect();
            publish(channel, properties, placeOrder(order));
            publish(channel, properties, placeOrder(order));
            channel.waitForConfirmsOrDie(10_000);
            report = saga.stop();
        }
        assertThat(report.orders()).isEqualTo(1);
        assertThat(report.completed()).isEqualTo(1);
        assertThat(report.doubleCharges()).isZero();
        assertThat(report.duplicatesDelivered()).isPositive();
        // more if the second delivery finds the first one handled but not yet marked as sent, and sends its
        // publications as well
        assertThat(report.duplicatesSuppressed()).isPositive();
        assertThat(report.exitStatus()).isZero();
    }
}
