// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.transport.OrderRules.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Of several instances that consume a queue in order one at a time receives deliveries, and the next goes on where it has ended. */
interface OrderTakeoverRules {

    TransportBench bench();

    /** How many are acknowledged before the instance is closed. */
    int DONE = 7;

    @Test
    default void theNextInstanceGoesOnInOrderWhenOneIsClosed() {
        for (int prefetch : List.of(1, 2, 10, 50)) {
            TestNode orders = bench().publisher("orders");
            TestNode billing = bench().orderedSubscriber("billing", orders);
            CountDownLatch done = new CountDownLatch(DONE);
            Inbox first = billing.consumeOrdered(prefetch, delivery -> {
                synchronized (done) {
                    if (done.getCount() > 0) {
                        delivery.acknowledge();
                        done.countDown();
                    }
                }
            });
            publish(orders, "a0");
            first.awaitIds("a0"); // it is the active one
            Inbox second = bench().instanceOf(billing).consumeOrdered(prefetch, Delivery::acknowledge);
            List<String> all = new ArrayList<>(List.of("a0"));
            for (int i = 1; i <= 20; i++) {
                all.addAll(List.of("a" + i, "b" + i, "c" + i));
            }
            publish(orders, all.subList(1, all.size()).toArray(String[]::new));
            bench().await().until(() -> done.getCount() == 0 && first.ids().size() > DONE);
            assertThat(second.ids()).as("prefetch %s", prefetch).isEmpty();

            billing.transport().close();

            bench().await().untilAsserted(() -> assertThat(second.ids()).hasSize(all.size() - DONE));
            for (String key : List.of("a", "b", "c")) {
                List<String> effects = new ArrayList<>(first.idsOf(key));
                effects.removeAll(second.idsOf(key)); // what was not acknowledged comes again
                effects.addAll(second.idsOf(key));
                assertThat(effects)
                        .as("prefetch %s, key %s", prefetch, key)
                        .containsExactlyElementsOf(
                                all.stream().filter(id -> id.startsWith(key)).toList());
            }
        }
    }

    @Test
    default void aStoppedInstanceEndsWhatIsRunningBeforeTheNextOneBegins() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().orderedSubscriber("billing", orders);
        CountDownLatch gate = bench().gate();
        Inbox first = billing.consumeOrdered(2, blockedAt(gate));
        publish(orders, "a1", "a2", "a3", "a4", "b1");
        first.awaitIds("a1");
        Inbox second = bench().instanceOf(billing).consumeOrdered(2, Delivery::acknowledge);

        CompletableFuture<Void> stopped = first.stop();
        bench().await().during(PaceRules.WATCHED).until(() -> second.ids().isEmpty());
        assertThat(stopped).isNotDone();
        gate.countDown();

        bench().awaitSuccess(stopped);
        bench().await().untilAsserted(() -> assertThat(second.idsOf("a")).containsExactly("a2", "a3", "a4"));
        assertThat(first.ids()).containsExactly("a1");
    }

    @Test
    default void aPausedInstanceEndsWhatIsRunningBeforeTheNextOneBegins() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().orderedSubscriber("billing", orders);
        CountDownLatch gate = bench().gate();
        Inbox first = billing.consumeOrdered(2, blockedAt(gate));
        publish(orders, "a1", "a2", "a3", "a4");
        first.awaitIds("a1");
        Inbox second = bench().instanceOf(billing).consumeOrdered(2, Delivery::acknowledge);

        first.pace(Pace.PAUSED);
        bench().await().during(PaceRules.WATCHED).until(() -> second.ids().isEmpty());
        gate.countDown();
        second.awaitIds("a2", "a3", "a4");

        assertThat(first.ids()).containsExactly("a1");
    }

    @Test
    default void goesOnInOrderAfterAPause() {
        TestNode orders = bench().publisher("orders");
        CountDownLatch gate = bench().gate();
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, blockedAt(gate));
        publish(orders, "a1", "a2", "a3", "b1", "b2");
        inbox.awaitIdsInAnyOrder("a1", "b1");

        inbox.pace(Pace.PAUSED);
        gate.countDown();
        bench().await().until(() -> inbox.running() == 0);
        publish(orders, "a4");
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 2);
        inbox.pace(Pace.FULL);

        bench().await().untilAsserted(() -> assertThat(inbox.idsOf("a")).containsExactly("a1", "a2", "a3", "a4"));
        bench().await().untilAsserted(() -> assertThat(inbox.idsOf("b")).containsExactly("b1", "b2"));
    }

    @Test
    default void aPauseReturnsWhatIsKeptOrLeftUnsettledToItsPlace() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().orderedSubscriber("billing", orders);
        Inbox first = billing.consumeOrdered(10, delivery -> {
            if (Inbox.id(delivery).startsWith("a")) {
                delivery.keep(Duration.ofMinutes(10));
            }
        });
        publish(orders, "a1", "b1", "a2", "b2");
        first.awaitIdsInAnyOrder("a1", "b1");
        bench().await().until(() -> first.running() == 0);

        first.pace(Pace.PAUSED);
        Inbox second = bench().instanceOf(billing).consumeOrdered(10, Delivery::acknowledge);

        bench().await().untilAsserted(() -> assertThat(second.idsOf("a")).containsExactly("a1", "a2"));
        bench().await().untilAsserted(() -> assertThat(second.idsOf("b")).containsExactly("b1", "b2"));
        assertThat(second.incoming().get(0).redelivered()).isTrue();
    }

    private static DeliveryHandler blockedAt(CountDownLatch gate) {
        return delivery -> {
            Gates.pass(gate);
            delivery.acknowledge();
        };
    }
}
