// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.message.HeaderBytes;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoisonCopyTest {

    private static WireMessage poison(Throwable failure, Wires message) {
        Node node = new Node(Node.ONE_ATTEMPT).failing(failure);
        node.deliver(message);
        return node.transport.poisoned().get(0).message();
    }

    @Test
    void holdsTheOriginalBytesAndProperties() {
        Wires original =
                Wires.orderPlaced().with("app_id", "Not A Node").withBody("{ \"orderId\" : \"ü\" , \"x\" : 1 }");
        WireMessage poison = poison(new IllegalStateException("failed"), original);

        assertThat(poison.body()).isSameAs(original.body());
        assertThat(poison.messageId()).isEqualTo(Wires.ID);
        assertThat(poison.correlationId()).isEqualTo(Wires.CORRELATION_ID);
        assertThat(poison.type()).isEqualTo("OrderPlaced");
        assertThat(poison.appId()).isEqualTo("Not A Node");
        assertThat(poison.timestamp()).isEqualTo(VirtualTimeline.START.getEpochSecond());
        assertThat(poison.contentType()).isEqualTo("application/json");
    }

    @Test
    void saysWhyAndWhereFrom() {
        WireMessage poison = poison(new IllegalStateException("card declined"), Wires.orderPlaced());

        assertThat(poison.headers())
                .containsEntry("sb-poison-reason", "handler-failed")
                .containsEntry("sb-poison-queue", "billing-OrderPlaced")
                .containsEntry("sb-poisoned-at", VirtualTimeline.START.toEpochMilli())
                .containsEntry("x-exception-type", "java.lang.IllegalStateException")
                .containsEntry("x-exception-message", "card declined")
                .containsEntry("x-original-exchange", "safebunny")
                .containsEntry("x-original-routingKey", "orders-OrderPlaced")
                .hasEntrySatisfying("x-exception-stacktrace", trace -> assertThat(trace.toString())
                        .startsWith("java.lang.IllegalStateException: card declined")
                        .contains("PoisonCopyTest"));
    }

    @Test
    void keepsAllHeadersOfTheApplication() {
        Wires original = Wires.orderPlaced();
        for (int i = 0; i < 150; i++) {
            original = original.withHeader("h" + i, "x".repeat(500));
        }

        WireMessage poison = poison(new IllegalStateException("failed"), original);

        assertThat(poison.headers())
                .containsAllEntriesOf(original.wire().headers())
                .containsKey("x-exception-stacktrace");
    }

    @Test
    void leavesOutTheExceptionRatherThanHeadersOfTheSender() {
        Wires original = Wires.orderPlaced().withHeader("large", "x".repeat(126_500));

        WireMessage poison = poison(new IllegalStateException("failed"), original);

        assertThat(poison.headers())
                .containsEntry("sb-poison-reason", "too-large")
                .containsEntry("large", "x".repeat(126_500))
                .containsKey("x-exception-type")
                .doesNotContainKeys("x-exception-stacktrace", "x-exception-message");
    }

    @Test
    void keepsTheApplicationsHeadersAndTheTraceOnly() {
        WireMessage poison = poison(
                new IllegalStateException("failed"),
                Wires.orderPlaced()
                        .withHeader("tenant", "acme")
                        .withHeader("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                        .withHeader("CC", List.of("elsewhere"))
                        .withHeader("BCC", "elsewhere")
                        .withHeader("x-death", List.of("a"))
                        .withHeader("x-delivery-count", 3)
                        .withHeader("__TypeId__", "java.lang.Runtime")
                        .withHeader("sb-poison-reason", "forged"));

        assertThat(poison.headers())
                .containsEntry("tenant", "acme")
                .containsEntry("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .containsEntry("sb-marker", 2)
                .containsEntry("sb-attempt", 0)
                .containsEntry("sb-poison-reason", "handler-failed")
                .doesNotContainKeys("CC", "BCC", "x-death", "x-delivery-count", "__TypeId__");
    }

    @Test
    void isFollowedByANoticeForSagasThatHasNoBody() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("card declined"));
        node.transport.answerNotices(RecordingTransport.CONFIRM);

        RecordedDelivery delivery =
                node.deliver(Wires.orderPlaced().withHeader("sb-sent-at", VirtualTimeline.START.toEpochMilli()));

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.notices()).singleElement().satisfies(notice -> {
            assertThat(notice.route()).isEqualTo(new Route.ToSubscribers("billing-BunnySetAside"));
            assertThat(notice.droppedIfUnheard()).isTrue();
            WireMessage wire = notice.message();
            assertThat(wire.body()).isEmpty();
            assertThat(wire.messageId()).isEqualTo(Wires.ID);
            assertThat(wire.correlationId()).isEqualTo(Wires.CORRELATION_ID);
            assertThat(wire.type()).isEqualTo("OrderPlaced");
            assertThat(wire.appId()).isEqualTo("billing");
            assertThat(wire.headers())
                    .containsOnlyKeys(
                            "sb-causation-id", "sb-poison-reason", "sb-poison-version", "sb-poisoned-at", "sb-sent-at")
                    .containsEntry("sb-poison-reason", "handler-failed");
        });
    }

    @Test
    void isNotSettledBeforeTheNoticeIsConfirmed() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        node.transport.answerNotices(RecordingTransport.LOSE_CONNECTION);
        RecordedDelivery delivery =
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
        node.timeline.schedule(Duration.ofMinutes(2), delivery::closed);

        node.deliver(delivery);

        assertThat(delivery.settled()).isZero();
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @Test
    void isNotSettledBeforeTheBrokerTakesTheNoticeHoweverOftenItRefusesIt() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        node.transport.answerNotices(RecordingTransport.NACK);
        node.timeline.schedule(Duration.ofMinutes(5), () -> node.transport.answerNotices(RecordingTransport.CONFIRM));

        RecordedDelivery delivery = node.deliver(Wires.orderPlaced());

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.notices()).hasSizeGreaterThan(20);
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @Test
    void isTheOnlyOneOfAMessageThatCannotBelongToASaga() {
        Node node = new Node(Node.ONE_ATTEMPT);

        node.deliver(Wires.orderPlaced().with("correlation_id", null));
        node.deliver(Wires.orderPlaced().with("message_id", null));
        node.deliver(Wires.orderPlaced().with("type", "no type"));

        assertThat(node.transport.poisoned()).hasSize(3);
        assertThat(node.transport.notices()).isEmpty();
    }

    @Test
    void fitsAFrameWhateverTheExceptionSays() {
        WireMessage poison = poison(new IllegalStateException("x".repeat(500_000)), Wires.orderPlaced());

        assertThat(sizeOf(poison)).isLessThan(100_000);
    }

    @Test
    void fitsAFrameWhateverTheMessageCarries() {
        Wires hostile = Wires.orderPlaced()
                .withHeader("sb-attempt", "9".repeat(60_000))
                .withHeader("sb-causation-id", "i".repeat(50_000))
                .withHeader("tenant", "t".repeat(100_000));
        WireMessage poison = poison(new IllegalStateException("failed"), hostile);

        assertThat(poison.headers())
                .containsEntry("sb-poison-reason", "missing-property")
                .containsEntry("tenant", "t".repeat(100_000));
        assertThat(HeaderBytes.of(poison.headers())).isLessThan(124 * 1024);
    }

    private static int sizeOf(WireMessage message) {
        return message.headers().entrySet().stream()
                .mapToInt(header -> header.getKey().length()
                        + String.valueOf(header.getValue()).length() * 3)
                .sum();
    }

    @Test
    void takesAnExceptionWithoutAMessage() {
        assertThat(poison(new IllegalStateException(), Wires.orderPlaced()).headers())
                .containsEntry("x-exception-message", "null");
    }

    private static String digest(Wires message) {
        return String.valueOf(
                poison(new IllegalStateException("failed"), message).headers().get("sb-poison-digest"));
    }

    @Test
    void isRecognisableAsACopyOfTheSameMessageWhateverHappenedInBetween() {
        String digest = digest(Wires.orderPlaced());

        assertThat(digest).matches("[0-9a-f]{64}");
        assertThat(digest(Wires.orderPlaced()
                        .withHeader("sb-attempt", 3)
                        .withHeader("x-death", List.of())
                        .withHeader("sb-poisoned-at", 1L)
                        .with("timestamp", 7L)))
                .isEqualTo(digest);
        assertThat(List.of(
                        digest(Wires.orderPlaced().with("message_id", "another")),
                        digest(Wires.orderPlaced().with("correlation_id", "another")),
                        digest(Wires.orderPlaced().withBody("{}"))))
                .doesNotHaveDuplicates()
                .doesNotContain(digest);
    }

    @Test
    void isRecognisableWithoutAnIdToo() {
        Wires junk = Wires.orderPlaced().with("message_id", null).withHeader("tenant", "acme");
        String digest = digest(junk);

        assertThat(digest(junk.withHeader("x-delivery-count", 3).withHeader("x-death", List.of())))
                .isEqualTo(digest);
        assertThat(List.of(
                        digest(junk.with("timestamp", 7L)),
                        digest(junk.with("app_id", "other")),
                        digest(junk.withHeader("tenant", "other")),
                        digest(junk.with("message_id", "")),
                        digest(junk.withBody("{}"))))
                .doesNotHaveDuplicates()
                .doesNotContain(digest);
    }

    @Test
    void keepsItsDigestWhenNothingElseOfItCanBeSent() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        node.transport.answerNext(RecordingTransport.BROKEN);
        node.deliver();

        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("sb-poison-digest", digest(Wires.orderPlaced()))
                .containsEntry("sb-poison-queue", Node.QUEUE);
    }
}
