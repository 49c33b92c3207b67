// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.bare;
import static io.safebunny.test.contract.Messages.message;
import static io.safebunny.test.contract.Messages.rich;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.message.WireMessage;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Messages arrive as they were sent. The broker may add headers but must not change or drop any. */
interface FidelityRules {

    TransportBench bench();

    @Test
    default void carriesBodyPropertiesAndHeadersUnchanged() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().subscriber("billing", orders).consume();

        orders.publish(rich("rich"));

        assertSame(inbox.awaitOne().message(), rich("rich"));
    }

    @Test
    default void leavesAbsentPropertiesAbsent() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().subscriber("billing", orders).consume();

        orders.publish(bare("bare"));

        assertSame(inbox.awaitOne().message(), bare("bare"));
    }

    @Test
    default void carriesADelayedMessageUnchanged() {
        TestNode billing = bench().subscriber("billing", bench().publisher("orders"));
        Inbox inbox = billing.consume();

        billing.sendToItself(rich("delayed"), Duration.ofMillis(20));

        assertSame(inbox.awaitOne().message(), rich("delayed"));
    }

    @Test
    default void putsAPoisonMessageUnchangedIntoThePoisonQueueOfItsNode() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        TestNode shipping = bench().subscriber("shipping", orders);
        Inbox poisoned = billing.consume(billing.topology().poisonQueue(), 1, Delivery::acknowledge);
        Inbox poisonedElsewhere = shipping.consume(shipping.topology().poisonQueue(), 1, Delivery::acknowledge);

        bench().awaitSuccess(billing.send(new Route.Poison(billing.name()), rich("poison")));
        bench().awaitSuccess(shipping.send(new Route.Poison(shipping.name()), message("another")));

        assertSame(poisoned.awaitOne().message(), rich("poison"));
        poisonedElsewhere.awaitIds("another");
    }

    @Test
    default void doesNotShareTheHeaderMapWithTheSender() {
        TestNode orders = bench().publisher("orders");
        CountDownLatch gate = bench().gate();
        Inbox inbox = bench().subscriber("billing", orders).consume(1, delivery -> {
            Gates.pass(gate);
            delivery.acknowledge();
        });
        Map<String, Object> headers = new HashMap<>(Map.of("tenant", "red"));

        orders.publish(message("first"));
        orders.publish(message("second", headers));
        headers.put("tenant", "blue");
        gate.countDown();

        inbox.awaitIds("first", "second");
        assertThat(inbox.incoming().get(1).message().headers()).containsEntry("tenant", "red");
    }

    private static void assertSame(WireMessage actual, WireMessage expected) {
        assertThat(actual.messageId()).isEqualTo(expected.messageId());
        assertThat(actual.correlationId()).isEqualTo(expected.correlationId());
        assertThat(actual.type()).isEqualTo(expected.type());
        assertThat(actual.appId()).isEqualTo(expected.appId());
        assertThat(actual.timestamp()).isEqualTo(expected.timestamp());
        assertThat(actual.contentType()).isEqualTo(expected.contentType());
        assertThat(actual.contentEncoding()).isEqualTo(expected.contentEncoding());
        assertThat(actual.priority()).isEqualTo(expected.priority());
        assertThat(actual.headers()).containsAllEntriesOf(expected.headers());
        assertThat(actual.body()).isEqualTo(expected.body());
    }
}
