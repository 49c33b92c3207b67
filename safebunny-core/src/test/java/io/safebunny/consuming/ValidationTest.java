// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ValidationTest {

    private static final long TOO_LONG_AGO =
            VirtualTimeline.START.minus(Node.RETENTION).toEpochMilli() - 1;

    static Stream<Arguments> invalid() {
        Wires valid = Wires.orderPlaced();
        return Stream.of(
                arguments("missing-property", valid.with("message_id", null), "message_id"),
                arguments("missing-property", valid.with("correlation_id", null), "correlation_id"),
                arguments("missing-property", valid.with("type", null), "type"),
                arguments("missing-property", valid.withHeader("sb-attempt", "many"), "sb-attempt"),
                arguments("missing-property", valid.with("message_id", "a b"), "message_id"),
                arguments("malformed-body", valid.withBody("{\"orderId\":"), "OrderPlaced"),
                arguments("malformed-body", valid.withBody("null"), "null"),
                arguments("malformed-body", valid.withBody(""), "OrderPlaced"),
                arguments("malformed-body", valid.withBody("{\"total\":\"x\"}"), "total"),
                arguments("malformed-body", valid.withBody("{\"s3cret\":" + "[".repeat(501)), "nesting depth (501)"),
                arguments(
                        "malformed-body",
                        valid.withBody("{\"orderId\":\"1\",\"total\":1,\"total\":2}"),
                        "duplicate property"),
                arguments("malformed-body", valid.withBody("{\0\"\0}\0"), "not UTF-8"),
                arguments("malformed-body", valid.with("content_type", "application/xml"), "application/xml"),
                arguments("malformed-body", valid.with("content_encoding", "gzip"), "gzip"),
                arguments("unknown-type", valid.with("type", "Nonsense"), "Nonsense"),
                arguments("unknown-type", valid.with("type", "java.lang.Runtime"), "java.lang.Runtime"),
                arguments("wrong-queue", valid.with("type", "PaymentCaptured"), "PaymentCaptured"),
                arguments("too-large", valid.withBody(" ".repeat(1_001)), "safebunny.max-message-size"),
                arguments("too-old", valid.withHeader("sb-sent-at", TOO_LONG_AGO), "safebunny.dedup.retention"));
    }

    @ParameterizedTest(name = "{0}: {2}")
    @MethodSource("invalid")
    void poisonsWithItsReasonAndRunsNothing(String reason, Wires message, String told) {
        Node node = new Node(Node.SIX_ATTEMPTS, (context, next) -> {
            throw new AssertionError("no middleware sees an invalid message");
        });
        RecordedDelivery delivery = node.deliver(message);

        assertThat(node.runs).hasValue(0);
        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.attempted()).hasSize(1);
        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> {
            assertThat(poison.message().body()).isSameAs(message.body());
            assertThat(poison.message().headers())
                    .containsEntry("sb-poison-reason", reason)
                    .hasEntrySatisfying("x-exception-message", text -> assertThat(text.toString())
                            .contains(told));
        });
        assertThat(node.count("safebunny.poison", "type", "OrderPlaced", "reason", reason))
                .isEqualTo(1);
    }

    @Test
    void tellsNothingOfTheBody() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.deliver(Wires.orderPlaced().withBody("{\"orderId\":\"o-1\",\"total\":\"s3cret\"}"));

        node.deliver(Wires.orderPlaced().withBody("{\"s3cret\":" + "[".repeat(501)));
        node.deliver(Wires.orderPlaced().withBody("{\"s3cret\":1,\"s3cret\":2}"));

        assertThat(node.transport.poisoned()).hasSize(3).allSatisfy(poison -> assertThat(
                        poison.message().headers().toString())
                .doesNotContain("s3cret"));
    }

    @Test
    void takesMessagesUpToTheLimits() {
        String body = "{\"orderId\":\"o-1\",\"total\":42}";
        Node node = new Node(Node.ONE_ATTEMPT);
        node.deliver(Wires.orderPlaced().with("message_id", "1").withBody(body + " ".repeat(1_000 - body.length())));
        node.deliver(Wires.orderPlaced().with("message_id", "2").withHeader("sb-sent-at", TOO_LONG_AGO + 1));
        node.deliver(
                Wires.orderPlaced().with("message_id", "3").withoutHeaders().with("timestamp", null));
        node.deliver(Wires.orderPlaced()
                .with("message_id", "4")
                .withHeader(
                        "sb-sent-at",
                        VirtualTimeline.START.plus(Duration.ofDays(1)).toEpochMilli()));

        assertThat(node.runs).hasValue(4);
        assertThat(node.transport.attempted()).isEmpty();
    }

    @Test
    void takesOldMessagesWhenNoneAreRemembered() {
        Node node = new Node(false, Node.ONE_ATTEMPT);
        node.deliver(Wires.orderPlaced().withHeader("sb-sent-at", TOO_LONG_AGO));

        assertThat(node.runs).hasValue(1);
    }

    @Test
    void happensAgainWhenAMessageComesBackTooLate() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("failed"));
        node.deliver();
        node.timeline.advance(Node.RETENTION.plusDays(1));
        node.deliver(node.transport.returned().get(0));

        assertThat(node.transport.poisoned().get(0).message().headers()).containsEntry("sb-poison-reason", "too-old");
    }
}
