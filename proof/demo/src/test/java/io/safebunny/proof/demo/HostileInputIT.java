// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static io.safebunny.proof.demo.SagaBroker.contract;
import static io.safebunny.proof.demo.SagaBroker.placeOrder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.safebunny.proof.demo.BadMessages.Bad;
import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.command.Options;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ten thousand messages that nobody should send, between five hundred good ones. */
@Tag("once")
class HostileInputIT {

    private static final int BAD = 10_000;
    private static final int LARGE = 3;
    private static final int GOOD = 500;
    private static final long HEAP = 256L * 1024 * 1024;

    private final String run = UUID.randomUUID().toString().substring(0, 8) + "-";
    /** Bad messages by number. */
    private final List<Bad> sent = new ArrayList<>();

    @Test
    void badMessagesArePoisonedAndGoodOnesHandled() throws Exception {
        try (SagaBroker broker = SagaBroker.open("order-saga-hostile-" + run);
                ServedSaga saga = ServedSaga.start(Options.defaults().withRabbit(broker.address()));
                Channel channel = broker.channel()) {
            setTrap(channel);
            PoisonReader poison = new PoisonReader(broker.channel(), sent);
            byte[] large = new byte[broker.largeBody()];
            Arrays.fill(large, (byte) '7');
            for (int i = 0; i < BAD; i++) {
                sent.add(BadMessages.message(run, i));
            }
            for (int i = 0; i < LARGE; i++) {
                sent.add(BadMessages.large(run, BAD + i, large));
            }
            poison.read("orders-poison");

            publishAll(channel);

            await().atMost(Duration.ofMinutes(2)).until(() -> poison.different() == BAD + LARGE);
            Report report = saga.stop();
            assertThat(poison.complaints()).isEmpty();
            assertThat(poison.count()).isEqualTo(BAD + LARGE);
            assertThat(report.poisoned()).isEqualTo(BAD + LARGE);
            assertThat(report.orders()).isEqualTo(GOOD);
            assertThat(report.completed()).isEqualTo(GOOD);
            assertThat(report.duplicatesDelivered()).isZero();
            assertThat(report.retriesInMemory() + report.retriesDelayed()).isZero();
            assertThat(report.exitStatus()).isZero();
            assertThat(heapInUse()).isLessThan(HEAP);
            assertNothingIsLeft(broker);
            channel.queueDelete(BadMessages.TRAP);
        }
    }

    /**
     * Catches copies that a forwarded CC or BCC header would cause. Leaves out the main exchange, where the sender itself asked
     * for them.
     */
    private static void setTrap(Channel channel) throws Exception {
        channel.queueDeclare(BadMessages.TRAP, true, false, false, Map.of());
        for (String exchange : List.of("safebunny.poison", "safebunny.retry")) {
            channel.queueBind(BadMessages.TRAP, exchange, BadMessages.TRAP);
        }
    }

    private void publishAll(Channel channel) throws Exception {
        channel.confirmSelect();
        for (int i = 0; i < BAD; i++) {
            publish(channel, sent.get(i));
            if (i % (BAD / GOOD) == 0) {
                publishGood(channel, i);
            }
            if (i % (BAD / LARGE) == BAD / LARGE / 2) {
                publish(channel, sent.get(BAD + i / (BAD / LARGE)));
            }
            if (i % 1_000 == 999) {
                channel.waitForConfirmsOrDie(60_000);
            }
        }
        channel.waitForConfirmsOrDie(60_000);
    }

    private static void publish(Channel channel, Bad bad) throws Exception {
        SagaBroker.publish(channel, bad.properties(), bad.body());
    }

    /** Publishes a good message, some of whose headers try to be clever. */
    private void publishGood(Channel channel, int number) throws Exception {
        String order = run + "good-" + number;
        BasicProperties.Builder properties = contract(order);
        if (number % 3 == 0) {
            properties.headers(Map.of(
                    "__TypeId__", "javax.script.ScriptEngineManager",
                    "__ContentTypeId__", "java.lang.Object",
                    "sb-unknown", "1",
                    "CC", List.of(BadMessages.TRAP)));
        }
        SagaBroker.publish(channel, properties.build(), placeOrder(order));
    }

    private static void assertNothingIsLeft(SagaBroker broker) throws Exception {
        for (String queue : SagaBroker.QUEUES) {
            assertThat(broker.messages(queue)).as(queue).isZero();
        }
        for (String queue : SagaBroker.POISON_QUEUES) {
            assertThat(broker.messages(queue)).as(queue).isZero();
        }
        assertThat(broker.messages(BadMessages.TRAP)).isZero();
    }

    /** Used heap after two collections: the second one collects what only a cleaner still referenced. */
    private static long heapInUse() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
