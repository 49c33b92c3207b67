// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.failure.BrowsingException;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Limits of concurrent deliveries, and how consumption stops. */
interface FlowRules {

    /** How long the rules watch: long enough for a broken transport to misbehave. */
    Duration WATCHED = Duration.ofMillis(200);

    TransportBench bench();

    @Test
    default void handlesUpToPrefetchDeliveriesAtOnceAndNotMore() {
        TestNode orders = bench().publisher("orders");
        CountDownLatch gate = bench().gate();
        Inbox inbox = bench().subscriber("billing", orders).consume(3, blockedAt(gate));

        for (int i = 0; i < 8; i++) {
            orders.publish(message("message-" + i));
        }

        bench().await().until(() -> inbox.running() == 3);
        bench().await().during(WATCHED).until(() -> inbox.running() == 3);
        gate.countDown();
        bench().await().untilAsserted(() -> assertThat(inbox.ids()).hasSize(8));
        assertThat(inbox.mostRunning()).isEqualTo(3);
    }

    @Test
    default void tellsHowManyConsumersAQueueHas() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        TestNode shipping = bench().orderedSubscriber("shipping", orders);
        String ordered = TestNode.ordered(shipping.name());
        assumeTrue(
                orders.transport().consumers(billing.queue()).isPresent(),
                "this transport cannot tell how many consumers a queue has");
        awaitConsumers(orders, billing.queue(), 0);
        awaitConsumers(orders, ordered, 0);

        billing.consume();
        TestNode second = bench().instanceOf(billing);
        second.consume();
        shipping.consumeOrdered(10, Delivery::acknowledge);

        awaitConsumers(orders, billing.queue(), 2);
        awaitConsumers(orders, ordered, 1);
        second.transport().close();
        awaitConsumers(orders, billing.queue(), 1);
        shipping.transport().close();
        awaitConsumers(orders, ordered, 0);
        assertThatExceptionOfType(BrowsingException.class)
                .isThrownBy(() -> orders.transport().consumers(billing.name() + "-Unknown"))
                .withMessageContaining("SB-5018");
    }

    private void awaitConsumers(TestNode asked, String queue, int count) {
        bench().await()
                .untilAsserted(() ->
                        assertThat(asked.transport().consumers(queue)).as(queue).hasValue(count));
    }

    @Test
    default void doesNotLetOneBlockedHandlerHoldTheOtherPlaces() {
        TestNode orders = bench().publisher("orders");
        DeliveryHandler blocked = blockedAt(bench().gate());
        Inbox inbox = bench().subscriber("billing", orders).consume(3, delivery -> {
            if ("blocked".equals(delivery.message().message().messageId())) {
                blocked.handle(delivery);
            } else {
                delivery.acknowledge();
            }
        });

        orders.publish(message("blocked"));
        inbox.awaitIds("blocked");
        orders.publish(message("second"));
        orders.publish(message("third"));
        orders.publish(message("fourth"));
        orders.publish(message("fifth"));

        inbox.awaitIdsInAnyOrder("blocked", "second", "third", "fourth", "fifth");
    }

    @Test
    default void waitsForWhatIsRunningWhenStoppedAndTakesNothingNew() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        CountDownLatch gate = bench().gate();
        Inbox stopped = billing.consume(1, blockedAt(gate));
        orders.publish(message("running"));
        orders.publish(message("waiting"));
        stopped.awaitIds("running");

        CompletableFuture<Void> stop = stopped.stop();
        bench().await().during(WATCHED).until(() -> !stop.isDone());
        assertThat(stopped.deliveries().get(0).isOpen()).isTrue();
        gate.countDown();
        bench().awaitSuccess(stop);

        billing.consume().awaitIds("waiting");
        assertThat(stopped.ids()).containsExactly("running");
    }

    @Test
    default void stopsAtOnceWhenNothingIsRunning() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox stopped = billing.consume();

        bench().awaitSuccess(stopped.stop());
        bench().awaitSuccess(stopped.stop());
        Inbox next = billing.consume();
        orders.publish(message("for-the-next"));

        next.awaitIds("for-the-next");
        assertThat(stopped.ids()).isEmpty();
    }

    private static DeliveryHandler blockedAt(CountDownLatch gate) {
        return (Delivery delivery) -> {
            Gates.pass(gate);
            delivery.acknowledge();
        };
    }
}
