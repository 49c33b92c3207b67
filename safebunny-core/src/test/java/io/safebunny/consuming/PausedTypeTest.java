// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.ThrottledException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Route;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a handler's circuit breaker does to messages and to the consumption. */
class PausedTypeTest {

    @Test
    void movesAMessageThatWasOnItsWayToTheEndOfItsQueueWithoutSpendingAnAttempt() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.breakers.open(OrderPlaced.class, Duration.ofMinutes(1));

        RecordedDelivery delivery = node.deliver();

        assertThat(node.runs).hasValue(0);
        assertThat(delivery.acknowledged()).isEqualTo(1);
        OutboundMessage copy = node.transport.returned().get(0);
        assertThat(copy.route()).isEqualTo(new Route.ToQueue(Node.QUEUE));
        assertThat(copy.delay()).isZero();
        assertThat(copy.message().headers()).containsEntry("sb-attempt", 0);
        assertThat(node.transport.pace(Node.QUEUE)).isEqualTo(Pace.PAUSED);

        node.breakers.close();
        node.deliver(copy);
        assertThat(node.runs).hasValue(1);
    }

    @Test
    void opensWhenAHandlerIsThrottledAndTheMessageComesBackWithoutHavingSpentAnAttempt() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new ThrottledException(Duration.ofSeconds(20)));

        RecordedDelivery delivery = node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(delivery.acknowledged()).isEqualTo(1);
        OutboundMessage copy = node.transport.returned().get(0);
        assertThat(copy.delay()).isEqualTo(Duration.ofSeconds(20));
        assertThat(copy.message().headers()).containsEntry("sb-attempt", 0);
        assertThat(node.breakers.state(OrderPlaced.class)).isEqualTo(State.OPEN);
        node.timeline.advance(Duration.ofSeconds(20));
        assertThat(node.transport.pace(Node.QUEUE)).isEqualTo(Pace.ONE_BY_ONE);
    }

    @Test
    void endsAMessageAsDecidedThoughTheTransportFailsToPause() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new ThrottledException(Duration.ofSeconds(20)));
        node.transport.refusePaces();

        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.transport.returned()).singleElement().satisfies(copy -> assertThat(copy.delay())
                .isEqualTo(Duration.ofSeconds(20)));
    }

    @Test
    void opensWhenPublicationsAreNotConfirmed() {
        Node node = new Node(false, Node.ONE_ATTEMPT);
        node.handler = (payload, context) -> node.bunny().publish(payload);
        node.transport.answerNext(RecordingTransport.SILENCE);

        node.deliver();

        assertThat(node.breakers.state(OrderPlaced.class)).isEqualTo(State.OPEN);
    }

    @Test
    void leavesOtherTypesAlone() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new ThrottledException(Duration.ofSeconds(20)));

        node.deliver();

        assertThat(node.transport.pace("billing-PaymentCaptured")).isEqualTo(Pace.FULL);
    }

    @Test
    void givesAMessageThatOutlivedManyConnectionsAFreshCopy() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.deliver(new RecordedDelivery(Node.QUEUE, 9, Wires.orderPlaced().wire()).closed());

        RecordedDelivery again = node.deliver(
                new RecordedDelivery(Node.QUEUE, 10, Wires.orderPlaced().wire()));

        assertThat(node.runs).hasValue(0);
        assertThat(again.acknowledged()).isEqualTo(1);
        OutboundMessage copy = node.transport.returned().get(0);
        assertThat(copy.message().headers()).containsEntry("sb-attempt", 0);
        node.deliver(copy);
        assertThat(node.runs).hasValue(1);
    }

    /** It may be what ended the processes that had it. */
    @Test
    void keepsTheCountOfAMessageThatThisProcessHasNotSeen() {
        Node node = new Node(Node.ONE_ATTEMPT);

        node.deliver(new RecordedDelivery(Node.QUEUE, 19, Wires.orderPlaced().wire()));

        assertThat(node.runs).hasValue(1);
        assertThat(node.transport.returned()).isEmpty();
    }
}
