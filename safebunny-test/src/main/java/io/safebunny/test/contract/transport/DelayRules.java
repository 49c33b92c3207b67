// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Delays are lower bounds, independent of each other, and do not change where a message goes. */
interface DelayRules {

    Duration SHORT = Duration.ofMillis(50);
    /** Longer than a message takes that is not delayed, also on a slow machine. */
    Duration NOTICEABLE = Duration.ofSeconds(1);

    TransportBench bench();

    @Test
    default void neverDeliversEarly() {
        TestNode billing = bench().subscriber("billing", bench().publisher("orders"));
        Inbox inbox = billing.consume();
        Map<Integer, Long> sent = new LinkedHashMap<>();

        for (int millis : new int[] {20, 33, 50, 127, 128, 250, 333}) {
            sent.put(millis, System.nanoTime());
            billing.sendToItself(message("after-" + millis), Duration.ofMillis(millis));
        }

        bench().await().untilAsserted(() -> assertThat(inbox.ids()).hasSameSizeAs(sent.keySet()));
        sent.forEach((millis, start) -> assertThat(Duration.ofNanos(inbox.arrivalOf("after-" + millis) - start))
                .isGreaterThanOrEqualTo(Duration.ofMillis(millis)));
    }

    @Test
    default void delaysByOneMillisecond() {
        TestNode billing = bench().subscriber("billing", bench().publisher("orders"));
        Inbox inbox = billing.consume();
        String[] ids = IntStream.range(0, 20).mapToObj(i -> "message-" + i).toArray(String[]::new);

        for (String id : ids) {
            billing.sendToItself(message(id), Duration.ofMillis(1));
        }

        inbox.awaitIdsInAnyOrder(ids);
    }

    @Test
    default void deliversADelayedMessageToItsQueueOnly() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        TestNode shipping = bench().subscriber("shipping", orders);
        Inbox billed = billing.consume();
        Inbox shipped = shipping.consume();

        billing.sendToItself(message("for-billing"), SHORT);
        billed.awaitIds("for-billing");
        shipping.sendToItself(message("for-shipping"), SHORT);

        shipped.awaitIds("for-shipping");
        assertThat(billed.ids()).containsExactly("for-billing");
    }

    @Test
    default void doesNotLetALongDelayHoldBackAShortOne() {
        TestNode billing = bench().subscriber("billing", bench().publisher("orders"));
        Inbox inbox = billing.consume();

        billing.sendToItself(message("long"), bench().patience().plusSeconds(5));
        billing.sendToItself(message("short"), SHORT);

        inbox.awaitIds("short");
    }

    @Test
    default void deliversADelayedPublicationToEveryBoundQueue() {
        TestNode orders = bench().publisher("orders");
        Inbox billing = bench().subscriber("billing", orders).consume();
        Inbox shipping = bench().subscriber("shipping", orders).consume();
        long start = System.nanoTime();

        bench().awaitSuccess(orders.send(orders.publication(), message("later"), NOTICEABLE));

        billing.awaitIds("later");
        shipping.awaitIds("later");
        // not at once; that it is not early at all is another rule
        assertThat(billing.arrivalOf("later") - start).isGreaterThanOrEqualTo(NOTICEABLE.toNanos() / 2);
        assertThat(shipping.arrivalOf("later") - start).isGreaterThanOrEqualTo(NOTICEABLE.toNanos() / 2);
    }
}
