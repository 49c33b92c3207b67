// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.BrowsingException;
import io.safebunny.topology.Topology;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Each delivery is settled once; until then the broker keeps the message. */
interface SettlementRules {

    TransportBench bench();

    @Test
    default void neverDeliversAnAcknowledgedMessageAgain() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox before = billing.consume();

        orders.publish(message("acknowledged"));
        before.awaitIds("acknowledged");
        bench().await().until(() -> before.running() == 0);
        billing.transport().close();
        Inbox after = bench().instanceOf(billing).consume();
        orders.publish(message("next"));

        after.awaitIds("next");
    }

    @Test
    default void deliversAgainWhatAClosedTransportLeftUnsettled() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox unsettled = billing.consume(10, delivery -> {});

        orders.publish(message("unsettled"));
        unsettled.awaitIds("unsettled");
        billing.transport().close();
        Delivery cutOff = unsettled.deliveries().get(0);
        assertThat(cutOff.isOpen()).isFalse();
        cutOff.acknowledge(); // too late: has no effect

        IncomingMessage again = bench().instanceOf(billing).consume().awaitOne();
        assertThat(again.message().messageId()).isEqualTo("unsettled");
        assertThat(again.redelivered()).isTrue();
    }

    @Test
    default void deliversAgainWhatWasHandedBack() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().subscriber("billing", orders).consume(1, handBackOnce());

        orders.publish(message("handed-back"));

        inbox.awaitIds("handed-back", "handed-back");
        assertThat(inbox.incoming()).extracting(IncomingMessage::redelivered).containsExactly(false, true);
    }

    @Test
    default void ignoresWhatFollowsAnAcknowledgement() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().subscriber("billing", orders).consume(1, delivery -> {
            delivery.acknowledge();
            delivery.acknowledge();
            delivery.handBack();
        });

        orders.publish(message("first"));
        inbox.awaitIds("first");
        orders.publish(message("second"));
        orders.publish(message("third"));

        inbox.awaitIds("first", "second", "third");
    }

    @Test
    default void ignoresWhatFollowsAHandBack() {
        TestNode orders = bench().publisher("orders");
        DeliveryHandler handBackOnce = handBackOnce();
        Inbox inbox = bench().subscriber("billing", orders).consume(1, delivery -> {
            handBackOnce.handle(delivery);
            delivery.acknowledge();
        });

        orders.publish(message("first"));
        inbox.awaitIds("first", "first");
        orders.publish(message("second"));

        inbox.awaitIds("first", "first", "second", "second");
    }

    @Test
    default void movesWhatIsRejectedToTheDeadLettersAndFromThereToThePoisonQueue() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox rejecting = billing.consume(1, Delivery::reject);
        Inbox deadLetters = billing.consume(Topology.deadLettersOf(billing.name()), 1, Delivery::reject);

        orders.publish(message("rejected"));

        deadLetters.awaitIds("rejected");
        Inbox poison = billing.consume(billing.topology().poisonQueue(), 1, Delivery::acknowledge);
        poison.awaitIds("rejected");
        rejecting.awaitIds("rejected");
    }

    private static DeliveryHandler handBackOnce() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        return delivery -> {
            if (seen.add(String.valueOf(delivery.message().message().messageId()))) {
                delivery.handBack();
            } else {
                delivery.acknowledge();
            }
        };
    }

    /** Unsettled messages are back in the queue at once, so the next browser sees all of them. */
    @Test
    default void putsBackWhatWasOnlyLookedAt() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        List<String> sent =
                IntStream.range(0, 50).mapToObj(index -> "copy-" + index).toList();
        for (String id : sent) {
            billing.sendToItself(message(id), Duration.ZERO);
        }

        for (int look = 0; look < 20; look++) {
            try (BrowsedQueue queue = billing.transport().browse(billing.queue())) {
                assertThat(taken(queue)).containsExactlyInAnyOrderElementsOf(sent);
            }
        }

        billing.consume().awaitIdsInAnyOrder(sent.toArray(String[]::new));
    }

    @Test
    default void removesWhatWasAcknowledgedWhileLookedAt() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        billing.sendToItself(message("moved"), Duration.ZERO);
        billing.sendToItself(message("stays"), Duration.ZERO);

        try (BrowsedQueue queue = billing.transport().browse(billing.queue())) {
            Delivery first = Objects.requireNonNull(queue.next());
            first.acknowledge();
            assertThat(first.isOpen()).isFalse();
        }

        billing.consume().awaitIds("stays");
    }

    /** The acknowledgement must throw: otherwise a replay would report the copy as moved while it is in both queues. */
    @Test
    default void tellsWhoeverLooksThatACopyWasPerhapsNotRemoved() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        billing.sendToItself(message("looked-at"), Duration.ZERO);

        try (BrowsedQueue queue = billing.transport().browse(billing.queue())) {
            Delivery taken = Objects.requireNonNull(queue.next());
            billing.transport().close();

            assertThatExceptionOfType(BrowsingException.class).isThrownBy(taken::acknowledge);
        }
    }

    @Test
    default void tellsHowManyWaitBehindTheOneThatIsLookedAt() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        for (int i = 0; i < 5; i++) {
            billing.sendToItself(message("waiting-" + i), Duration.ZERO);
        }

        List<Long> waiting = new ArrayList<>();
        try (BrowsedQueue queue = billing.transport().browse(billing.queue())) {
            for (Delivery next = queue.next(); next != null; next = queue.next()) {
                waiting.add(queue.waiting());
            }
        }
        assertThat(waiting).containsExactly(4L, 3L, 2L, 1L, 0L);
    }

    private static List<String> taken(BrowsedQueue queue) {
        List<String> ids = new ArrayList<>();
        for (Delivery next = queue.next(); next != null; next = queue.next()) {
            ids.add(String.valueOf(next.message().message().messageId()));
        }
        return ids;
    }
}
