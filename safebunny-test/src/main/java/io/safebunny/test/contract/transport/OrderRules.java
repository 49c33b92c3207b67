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
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Within one consumption, messages of one key are handled one after the other. The key of {@code a1} is {@code a}. */
interface OrderRules {

    TransportBench bench();

    @Test
    default void handlesTheMessagesOfAKeyOneAfterTheOtherAndThoseOfOthersBeside() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, delivery -> {});
        publish(orders, "m1", "m2", "n1", "m3", "n2");

        inbox.awaitIdsInAnyOrder("m1", "n1");
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 2);
        inbox.delivery("m1").acknowledge();
        inbox.awaitIdsInAnyOrder("m1", "n1", "m2");
        inbox.delivery("n1").acknowledge();
        inbox.awaitIdsInAnyOrder("m1", "n1", "m2", "n2");
        inbox.delivery("m2").acknowledge();
        inbox.awaitIdsInAnyOrder("m1", "n1", "m2", "n2", "m3");
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
        publish(orders, "a1", "a2", "a3"); // all are there when the first one is handed back
        inbox[0].pace(Pace.FULL);

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
        publish(orders, "a1");
        List<Object> unreadable = List.of("", "not a key", "ü", 42L, "x".repeat(129));
        for (int i = 0; i < unreadable.size(); i++) {
            orders.publish(message("unreadable-" + i, Map.of(Headers.ORDER_KEY, unreadable.get(i))));
        }
        orders.publish(message("k1", Map.of(Headers.ORDER_KEY, "k", Headers.MARK, "with a key")));

        inbox.awaitIdsInAnyOrder(
                "a1", "unreadable-0", "unreadable-1", "unreadable-2", "unreadable-3", "unreadable-4", "k1");
    }

    @Test
    default void aMarkWaitsForAllBeforeItAndHoldsNobody() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, delivery -> {});
        publish(orders, "a1");
        inbox.awaitIds("a1");
        publish(orders, "b1");
        inbox.awaitIds("a1", "b1");
        mark(orders, "mark-1");
        mark(orders, "mark-2");
        publish(orders, "z1");

        inbox.awaitIds("a1", "b1", "z1");
        inbox.delivery("b1").acknowledge();
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 3);
        inbox.delivery("a1").acknowledge();
        inbox.awaitIds("a1", "b1", "z1", "mark-1");
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 4);
        inbox.delivery("mark-1").acknowledge();
        inbox.awaitIds("a1", "b1", "z1", "mark-1", "mark-2");
    }

    @Test
    default void aMarkWaitsForWhatIsKept() {
        TestNode orders = bench().publisher("orders");
        AtomicBoolean over = new AtomicBoolean();
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, keepingA1Until(over));
        publish(orders, "a1");
        mark(orders, "mark");
        publish(orders, "b1");

        bench().await().untilAsserted(() -> assertThat(inbox.idsOf("b")).containsExactly("b1"));
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.idsOf("mark")
                .isEmpty());
        over.set(true);

        bench().await().untilAsserted(() -> assertThat(inbox.ids()).endsWith("a1", "mark"));
    }

    @Test
    default void replaysAndUndosPassWhatIsKept() {
        TestNode orders = bench().publisher("orders");
        AtomicBoolean over = new AtomicBoolean();
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, keepingA1Until(over));
        publish(orders, "a1", "a2");
        publishWith(orders, "a-replay", Headers.POISONED_AT, 1L);
        publish(orders, "a3-behind");
        publishWith(orders, "a-undo", Headers.UNDOES, "a2");
        publish(orders, "a4");

        bench().await().untilAsserted(() -> assertThat(inbox.idsOf("a-")).containsExactly("a-replay", "a-undo"));
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().stream()
                .allMatch(List.of("a1", "a-replay", "a-undo")::contains));
        over.set(true);

        bench().await().untilAsserted(() -> assertThat(inbox.ids()).endsWith("a1", "a2", "a3-behind", "a4"));
    }

    @Test
    default void whatIsKeptGoesOnWhenWhatHasPassedItHasEnded() {
        TestNode orders = bench().publisher("orders");
        Inbox[] inbox = new Inbox[1];
        inbox[0] = bench().orderedSubscriber("billing", orders).consumeOrdered(10, Pace.PAUSED, delivery -> {
            if (Inbox.id(delivery).equals("a1") && inbox[0].idsOf("a-").isEmpty()) {
                delivery.keep(Duration.ofMillis(20));
            }
        });
        inbox[0].pace(Pace.FULL);
        publish(orders, "a1");
        publishWith(orders, "a-passing", Headers.POISONED_AT, 1L);

        bench().await().untilAsserted(() -> assertThat(inbox[0].ids()).endsWith("a-passing"));
        bench().await()
                .during(PaceRules.WATCHED)
                .until(() ->
                        inbox[0].ids().indexOf("a-passing") == inbox[0].ids().size() - 1);
        inbox[0].delivery("a-passing").acknowledge();

        bench().await().untilAsserted(() -> assertThat(inbox[0].ids()).endsWith("a-passing", "a1"));
    }

    @Test
    default void replaysAndUndosWaitForWhatIsNotKept() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().orderedSubscriber("billing", orders).consumeOrdered(10, delivery -> {
            if (!List.of("a1", "b1").contains(Inbox.id(delivery))) {
                delivery.acknowledge();
            }
        });
        publish(orders, "a1", "a2");
        publishWith(orders, "a-patient", Headers.POISONED_AT, 1L);
        publish(orders, "b1", "b2");
        publishWith(orders, "b-patient", Headers.UNDOES, "b1");

        inbox.awaitIdsInAnyOrder("a1", "b1");
        bench().await().during(PaceRules.WATCHED).until(() -> inbox.ids().size() == 2);
        inbox.delivery("a1").acknowledge();
        inbox.delivery("b1").acknowledge();

        bench().await().untilAsserted(() -> {
            assertThat(inbox.idsOf("a")).containsExactly("a1", "a2", "a-patient");
            assertThat(inbox.idsOf("b")).containsExactly("b1", "b2", "b-patient");
        });
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

    private static void publishWith(TestNode from, String id, String header, Object value) {
        Map<String, Object> headers = new HashMap<>(keyed(id).headers());
        headers.put(header, value);
        from.publish(keyed(id).withHeaders(headers));
    }

    private static void mark(TestNode from, String id) {
        from.publish(message(id, Map.of(Headers.ORDER_KEY, "", Headers.MARK, "token")));
    }

    private static DeliveryHandler keepingA1Until(AtomicBoolean over) {
        return delivery -> {
            if (Inbox.id(delivery).equals("a1") && !over.get()) {
                delivery.keep(Duration.ofMillis(20));
            } else {
                delivery.acknowledge();
            }
        };
    }

    private static WireMessage keyed(String id) {
        return message(id, Map.of(Headers.ORDER_KEY, id.substring(0, 1)));
    }
}
