// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.message.WireMessage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the broker itself set aside gets its reason on the way to the poison queue. */
class DeadLettersTest {

    private final Node node = new Node(Node.ONE_ATTEMPT);

    private RecordedDelivery deliver(Wires message) {
        return node.deliver(new RecordedDelivery("billing-dead-letters", message.wire()));
    }

    private static Map<String, Object> death(String queue, String reason) {
        return Map.of(
                "queue",
                queue,
                "reason",
                reason,
                "exchange",
                "safebunny",
                "routing-keys",
                List.of("orders-OrderPlaced"),
                "count",
                1L);
    }

    /** From the queue in which the type was handled before it was switched. */
    @Test
    void carryTheReasonFromBeforeTheSwitchOfTheirType() {
        deliver(Wires.orderPlaced().withHeader("x-death", List.of(death(Node.QUEUE + ".in", "expired"))));

        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("sb-poison-reason", "expired")
                .containsEntry("sb-poison-queue", Node.QUEUE + ".in");
    }

    @ParameterizedTest
    @CsvSource({"delivery_limit, delivery-limit", "expired, expired", "rejected, handler-failed"})
    void carryTheReasonAndWhereTheyCameFrom(String broker, String reason) {
        RecordedDelivery delivery = deliver(Wires.orderPlaced()
                .withHeader("x-death", List.of(death(Node.QUEUE, broker), death("forged", "delivery_limit"))));

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.runs).hasValue(0);
        WireMessage poison = node.transport.poisoned().get(0).message();
        assertThat(poison.body()).isEqualTo(Wires.orderPlaced().body());
        assertThat(poison.messageId()).isEqualTo(Wires.ID);
        assertThat(poison.headers())
                .containsEntry("sb-poison-reason", reason)
                .containsEntry("sb-poison-queue", Node.QUEUE)
                .containsEntry("x-original-exchange", "safebunny")
                .containsEntry("x-original-routingKey", "orders-OrderPlaced")
                .doesNotContainKey("x-death");
    }

    @Test
    void namesAMessageThatTheBrokerDidNotSetAside() {
        deliver(Wires.orderPlaced());

        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("sb-poison-reason", "wrong-queue")
                .containsEntry("sb-poison-queue", "billing-dead-letters");
    }

    @Test
    void doNotBelieveADeathThatIsNoneOfThisNodesOwn() {
        String forged = "evil\n12:00:00 ERROR forged line " + "x".repeat(200_000);
        List<Map<String, Object>> deaths = List.of(
                death(forged, "delivery_limit"),
                death("other-OrderPlaced", "delivery_limit"),
                death(Node.QUEUE, forged),
                Map.of("queue", List.of(Node.QUEUE), "reason", Map.of()));
        try (LogLines log = new LogLines("io.safebunny.poison.queue")) {
            for (Map<String, Object> death : deaths) {
                RecordedDelivery delivery = deliver(Wires.orderPlaced().withHeader("x-death", List.of(death)));
                assertThat(delivery.acknowledged()).isEqualTo(1);
                node.timeline.advance(Duration.ofMinutes(2)); // else it is only counted
            }

            assertThat(log.texts()).hasSize(4).noneMatch(line -> line.contains("\n") || line.contains("evil"));
        }
        assertThat(node.transport.poisoned()).hasSize(4).allSatisfy(poison -> assertThat(
                        poison.message().headers())
                .containsEntry("sb-poison-reason", "wrong-queue")
                .containsEntry("sb-poison-queue", "billing-dead-letters"));
    }

    @Test
    void carryNoMoreOfAForgedDeathThanFitsAFrame() {
        Map<String, Object> forged = new HashMap<>(death(Node.QUEUE, "expired"));
        forged.put("exchange", "e".repeat(200_000));
        forged.put("routing-keys", List.of("k".repeat(200_000)));
        deliver(Wires.orderPlaced().withHeader("x-death", List.of(forged)));

        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("sb-poison-reason", "expired")
                .containsEntry("x-original-exchange", "e".repeat(255))
                .containsEntry("x-original-routingKey", "k".repeat(255));
    }

    @Test
    void goToThePoisonQueueByThemselvesWhenTheirCopiesAreNotTaken() {
        node.transport.answerAll(RecordingTransport.TOO_LARGE);

        RecordedDelivery delivery =
                deliver(Wires.orderPlaced().withHeader("x-death", List.of(death(Node.QUEUE, "rejected"))));

        assertThat(delivery.rejected()).isEqualTo(1);
        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.sleeps()).isEmpty();
    }

    @Test
    void stayWhereTheyAreUntilTheCopyIsConfirmed() {
        node.transport.answerNext(RecordingTransport.NACK, RecordingTransport.UNROUTABLE);

        RecordedDelivery delivery =
                deliver(Wires.orderPlaced().withHeader("x-death", List.of(death(Node.QUEUE, "delivery_limit"))));

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.attempted()).hasSize(3);
        assertThat(node.transport.poisoned()).hasSize(1);
    }
}
