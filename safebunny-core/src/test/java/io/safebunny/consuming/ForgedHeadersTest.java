// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Published;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How far the headers of the wire format are believed: whoever may publish may give its own messages fewer retries, not more effects. */
class ForgedHeadersTest {

    private static final long NOW = VirtualTimeline.START.toEpochMilli();

    @Test
    void aReplayOfAHandledMessageIsNotHandledAgain() {
        Node node = new Node(Node.SIX_ATTEMPTS);
        node.deliver();
        RecordedDelivery replay = node.deliver(Wires.orderPlaced().withHeader("sb-poisoned-at", NOW));

        assertThat(replay.acknowledged()).isEqualTo(1);
        assertThat(node.runs).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReplayThatNeverWasInThePoisonQueueHasAsManyAttemptsAsAnyOther(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS).failing(new IllegalStateException("failed"));
        node.deliver(Wires.orderPlaced().withHeader("sb-poisoned-at", NOW));
        node.deliver(node.transport.returned().get(0));

        assertThat(node.runs).hasValue(6);
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAttemptBeyondTheLastIsHandledOnceMore(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS);
        node.deliver(Wires.orderPlaced().withHeader("sb-attempt", 1_000_000));
        assertThat(node.runs).hasValue(1);

        Node failing = new Node(remembers, Node.SIX_ATTEMPTS).failing(new IllegalStateException("failed"));
        failing.deliver(Wires.orderPlaced().withHeader("sb-attempt", 1_000_000));
        assertThat(failing.runs).hasValue(3);
        assertThat(failing.transport.poisoned()).hasSize(1);
    }

    /** So that its duplicates are handled once more after the retention. */
    @Test
    void aTimeToComeKeepsAMessageFromBecomingTooOld() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.timeline.advance(Node.RETENTION.plusDays(1));
        node.deliver(Wires.orderPlaced()
                .withHeader("sb-sent-at", NOW + Duration.ofDays(100).toMillis()));

        assertThat(node.runs).hasValue(1);
        assertThat(node.transport.poisoned()).isEmpty();
    }

    @Test
    void aTraceContextThatIsNoneEndsWithItsMessage() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.handler = (payload, context) -> {
            Published unused = node.bunny().publish(new PaymentCaptured("o-1"));
        };
        node.deliver(Wires.orderPlaced()
                .withHeader("traceparent", "\u001b[2Jforged, and within the length")
                .withHeader("tracestate", "a=1"));

        assertThat(node.transport.published()).singleElement().satisfies(message -> assertThat(
                        message.message().headers())
                .doesNotContainKeys("traceparent", "tracestate"));
    }

    @Test
    void whatOtherLibrariesBelieveIsNeitherBelievedNorInTheWay() {
        Node node = new Node(Node.ONE_ATTEMPT);
        RecordedDelivery delivery = node.deliver(Wires.orderPlaced()
                .withHeader("__TypeId__", "java.lang.Runtime")
                .withHeader("x-delivery-count", 1_000)
                .withHeader("x-death", "not a list")
                .withHeader("CC", "elsewhere"));

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.runs).hasValue(1);
        assertThat(node.transport.attempted()).isEmpty();
    }
}
