// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Within one consumption, messages of one key are handled one after the other. The key of {@code a1} is {@code a}. */
interface OrderRules {

    TransportBench bench();

    @Test
    default void handlesTheMessagesOfAKeyOneAfterTheOtherAndThoseOfOthersBeside() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, delivery -> {});
        publish(orders, "a1", "a2", "b1", "a3", "b2");

        inbox.awaitIdsInAnyOrder("a1", "b1");
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 2);
        inbox.delivery("a1").acknowledge();
        inbox.awaitIdsInAnyOrder("a1", "b1", "a2");
        inbox.delivery("b1").acknowledge();
        inbox.awaitIdsInAnyOrder("a1", "b1", "a2", "b2");
        inbox.delivery("a2").acknowledge();
        inbox.awaitIdsInAnyOrder("a1", "b1", "a2", "b2", "a3");
    }

    @Test
    default void waitsUntilTheHandlerOfTheOneBeforeHasReturned() {
        TestNode orders = bench().publisher("orders");
        CountDownLatch gate = bench().gate();
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, delivery -> {
            delivery.acknowledge();
            if (Inbox.id(delivery).equals("a1")) {
                Gates.pass(gate);
            }
        });
        publish(orders, "a1", "a2", "b1");

        inbox.awaitIdsInAnyOrder("a1", "b1");
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 2);
        gate.countDown();

        inbox.awaitIdsInAnyOrder("a1", "b1", "a2");
    }

    @Test
    default void goesOnWithOtherKeysWhileOneTakesAllPlacesButOne() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(4, delivery -> {
            if (!Inbox.id(delivery).startsWith("a")) {
                delivery.acknowledge();
            }
        });
        publish(orders, "a1", "a2", "a3");
        String[] others = IntStream.range(0, 50).mapToObj(i -> "b" + i).toArray(String[]::new);
        publish(orders, others);

        bench().await().untilAsserted(() -> assertThat(inbox.idsOf("b")).containsExactly(others));
        bench().await().untilAsserted(() -> assertThat(inbox.idsOf("a")).containsExactly("a1"));
    }

    @Test
    default void handlesAKeptMessageAgainAfterItsPauseAndBeforeThoseBehindIt() {
        Duration pause = Duration.ofMillis(50);
        TestNode orders = bench().publisher("orders");
        Inbox[] inbox = new Inbox[1];
        inbox[0] = bench().orderedSubscriber("billing", orders).consumeOrdered(10, Pace.PAUSED, delivery -> {
            if (Inbox.id(delivery).equals("a1") && inbox[0].idsOf("a").size() < 3) {
                delivery.keep(pause);
                assertThat(delivery.isOpen()).isFalse();
                delivery.acknowledge(); // too late: has no effect
            } else {
                delivery.acknowledge();
            }
        });
        inbox[0].pace(Pace.FULL);
        long begun = System.nanoTime();
        publish(orders, "a1", "a2", "b1", "a3");

        bench().await().until(() -> inbox[0].ids().size() == 6);
        assertThat(inbox[0].idsOf("a")).containsExactly("a1", "a1", "a1", "a2", "a3");
        assertThat(inbox[0].incoming().stream()
                        .filter(m -> "a1".equals(m.message().messageId())))
                .extracting(IncomingMessage::redelivered)
                .containsExactly(false, true, true);
        assertThat(inbox[0].arrivalOf("a1") - begun)
                .as("two pauses")
                .isGreaterThanOrEqualTo(pause.multipliedBy(2).toNanos());
    }

    @Test
    default void aKeptMessageHoldsItsKeyAndNoOther() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, delivery -> {
            if (Inbox.id(delivery).equals("a1")) {
                delivery.keep(Duration.ofHours(1));
            } else {
                delivery.acknowledge();
            }
        });
        publish(orders, "a1", "a2", "b1", "b2", "c1");

        inbox.awaitIdsInAnyOrder("a1", "b1", "b2", "c1");
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 4);
        assertThat(inbox.idsOf("b")).containsExactly("b1", "b2");
    }

    @Test
    default void handlesWhatIsHandedBackBeforeThoseBehindIt() {
        TestNode orders = bench().publisher("orders");
        Inbox[] inbox = new Inbox[1];
        inbox[0] = bench().orderedSubscriber("billing", orders).consumeOrdered(10, Pace.PAUSED, delivery -> {
            if (inbox[0].idsOf("a").size() == 1) {
                delivery.handBack();
            } else {
                delivery.acknowledge();
            }
        });
        inbox[0].pace(Pace.FULL);
        publish(orders, "a1", "a2", "a3");

        inbox[0].awaitIds("a1", "a1", "a2", "a3");
    }

    @Test
    default void goesOnBehindWhatIsRejected() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().orderedSubscriber("billing", orders);
        Inbox inbox = billing.consumeOrdered(10, delivery -> {
            if (Inbox.id(delivery).equals("a1")) {
                delivery.reject();
            } else {
                delivery.acknowledge();
            }
        });
        publish(orders, "a1", "a2");

        inbox.awaitIds("a1", "a2");
        billing.consume(Topology.deadLettersOf(billing.name()), 1, Delivery::acknowledge)
                .awaitIds("a1");
    }

    @Test
    default void ordersWhatHasNoOrderKeyByItsCorrelationId() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, delivery -> {});
        orders.publish(message("keyless-1"));
        orders.publish(message("keyless-2"));
        publish(orders, "a1");

        inbox.awaitIdsInAnyOrder("keyless-1", "a1");
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 2);
        inbox.delivery("keyless-1").acknowledge();

        inbox.awaitIdsInAnyOrder("keyless-1", "a1", "keyless-2");
    }

    @Test
    default void handlesWhatHasNoReadableKeyBesideAllOthers() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, delivery -> {});
        List<Object> unreadable = List.of("", "not a key", "ü", 42L, "x".repeat(129));
        for (int i = 0; i < unreadable.size(); i++) {
            orders.publish(message("unreadable-" + i, Map.of(Headers.ORDER_KEY, unreadable.get(i))));
        }
        publish(orders, "a1");

        inbox.awaitIdsInAnyOrder("unreadable-0", "unreadable-1", "unreadable-2", "unreadable-3", "unreadable-4", "a1");
    }

    @Test
    default void handlesOneAtATimeOfAllKeysWhenToldTo() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, Pace.ONE_BY_ONE, delivery -> {});
        publish(orders, "a1", "b1", "c1", "d1");

        inbox.awaitIds("a1");
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 1);
        inbox.delivery("a1").acknowledge();
        inbox.awaitIds("a1", "b1");
        inbox.pace(Pace.FULL);

        inbox.awaitIdsInAnyOrder("a1", "b1", "c1", "d1");
    }

    @Test
    default void refusesToConsumeInOrderWhatSeveralConsumersGet() {
        TestNode billing = bench().subscriber("billing", bench().publisher("orders"));

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(
                        () -> billing.transport().consumeOrdered(billing.queue(), 1, Pace.FULL, Delivery::acknowledge))
                .withMessageContaining(billing.queue())
                .withMessageContaining("x-single-active-consumer");
    }

    static void publish(TestNode from, String... ids) {
        for (String id : ids) {
            from.publish(keyed(id));
        }
    }

    private static WireMessage keyed(String id) {
        return message(id, Map.of(Headers.ORDER_KEY, id.substring(0, 1)));
    }
}
