// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static io.safebunny.fixture.RecordingTransport.BROKEN;
import static io.safebunny.fixture.RecordingTransport.CONFIRM;
import static io.safebunny.fixture.RecordingTransport.LOSE_CONNECTION;
import static io.safebunny.fixture.RecordingTransport.NACK;
import static io.safebunny.fixture.RecordingTransport.TOO_LARGE;
import static io.safebunny.fixture.RecordingTransport.UNROUTABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.ThrottledException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport.Answer;
import io.safebunny.fixture.Wires;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A channel that is gone, or a broker that does not take the copy. */
class LostDeliveryTest {

    private final RecordedDelivery delivery =
            new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());

    @Test
    void isNotHandledWhenItsChannelIsAlreadyGone() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.deliver(delivery.closed());

        assertThat(node.runs).hasValue(0);
        assertThat(delivery.settled()).isZero();
    }

    @Test
    void isNeitherAcknowledgedNorCopiedWhenItsChannelGoesWhileItIsHandled() {
        for (var policy : List.of(Node.ONE_ATTEMPT, Node.SIX_ATTEMPTS)) {
            RecordedDelivery lost =
                    new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
            Node node = new Node(policy);
            node.handler = (payload, context) -> {
                lost.closed();
                throw new IllegalStateException("failed");
            };
            node.deliver(lost);

            assertThat(lost.acknowledged()).isZero();
            assertThat(lost.settled()).isLessThanOrEqualTo(1);
            assertThat(node.transport.attempted()).isEmpty();

            // and is handled when it comes again
            node.handler = (payload, context) -> {};
            assertThat(node.deliver().acknowledged()).isEqualTo(1);
        }
    }

    @Test
    void costsNoAttemptWhenItsHandlerIsInterruptedByAForcedStop() {
        for (boolean remembers : new boolean[] {true, false}) {
            Node node = new Node(remembers, Node.SIX_ATTEMPTS);
            Wires lastAttempt = Wires.orderPlaced().withHeader("sb-attempt", 1);
            RecordedDelivery lost = new RecordedDelivery(Node.QUEUE, lastAttempt.wire());
            node.handler = (payload, context) -> {
                lost.closed();
                throw new InterruptedException("the grace is over");
            };
            node.deliver(lost);
            node.handler = (payload, context) -> assertThat(context.attempt()).isEqualTo(1);
            RecordedDelivery again = node.deliver(lastAttempt);

            assertThat(again.acknowledged()).isEqualTo(1);
            assertThat(node.runs).hasValue(2);
            assertThat(node.transport.attempted()).isEmpty();
        }
    }

    @Test
    void isNotRetriedInMemoryWhenItIsSomebodyElsesByThen() {
        Node node = new Node(Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            delivery.closed();
            throw new IllegalStateException("failed");
        };
        node.deliver(delivery);

        assertThat(node.runs).hasValue(1);
        assertThat(node.sleeps()).isEmpty();
    }

    @Test
    void isNotRetriedInMemoryWhenItGoesDuringTheWait() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("failed"));
        node.timeline.schedule(Duration.ofMillis(50), delivery::closed);
        node.deliver(delivery);

        assertThat(node.runs).hasValue(1);
        node.handler = (payload, context) -> assertThat(context.attempt()).isZero();
        assertThat(node.deliver().acknowledged()).isEqualTo(1);
        assertThat(node.transport.attempted()).isEmpty();
    }

    @Test
    void isHeldUntilItsPoisonCopyIsConfirmed() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        Answer confirmIfStillHeld = message -> {
            assertThat(delivery.settled()).isZero();
            return CONFIRM.apply(message);
        };
        node.transport.answerNext(NACK, UNROUTABLE, NACK, confirmIfStillHeld);
        node.deliver(delivery);

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.attempted()).hasSize(4);
        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(node.sleeps())
                .containsExactly(Duration.ofMillis(200), Duration.ofMillis(400), Duration.ofMillis(800));
        assertThat(node.count("safebunny.poison", "type", "OrderPlaced", "reason", "handler-failed"))
                .isEqualTo(1);
    }

    @Test
    void isHeldUntilItsDelayedCopyIsConfirmed() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("failed"));
        node.transport.answerNext(NACK, NACK);
        node.deliver(delivery);

        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.transport.poisoned()).isEmpty();
    }

    @Test
    void isHeldEvenWhenTheTransportThrowsWhatItShouldNot() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        node.transport.answerNext(BROKEN, BROKEN, BROKEN);
        node.deliver(delivery);

        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @Test
    void isPoisonedWhenItsDelayedCopyCannotBeMade() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("failed"));
        node.transport.answerNext(BROKEN);
        node.deliver(delivery);

        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @Test
    void isSetAsideByTheBrokerWhenItsPoisonCopyIsRefusedAgainAndAgain() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        node.transport.answerAll(NACK);
        node.deliver(delivery);

        assertThat(delivery.rejected()).isEqualTo(1);
        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.attempted()).hasSize(8);
        assertThat(node.timeline.elapsed()).isBetween(Duration.ofSeconds(10), Duration.ofMinutes(1));
        assertThat(node.held()).isEmpty();
        assertThat(node.count("safebunny.poison", "type", "OrderPlaced", "reason", "handler-failed"))
                .isEqualTo(1);
    }

    @Test
    void isSetAsideByTheBrokerAtOnceWhenNoCopyOfItWillEverBeTaken() {
        for (var policy : List.of(Node.ONE_ATTEMPT, Node.SIX_ATTEMPTS)) {
            RecordedDelivery large =
                    new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
            Node node = new Node(policy).failing(new IllegalStateException("failed"));
            node.transport.answerAll(TOO_LARGE);
            node.deliver(large);

            assertThat(large.rejected()).isEqualTo(1);
            assertThat(large.settled()).isEqualTo(1);
        }
    }

    @Test
    void staysInItsQueueWhenItCannotEvenBeSentBack() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.handler = (payload, context) -> {
            throw new ThrottledException(Duration.ofSeconds(1));
        };
        node.transport.answerAll(TOO_LARGE);
        node.deliver(delivery);

        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(delivery.rejected() + delivery.acknowledged()).isZero();
        assertThat(node.timeline.elapsed()).isGreaterThanOrEqualTo(Duration.ofSeconds(10));
    }

    /** The broker has not said no: it is an outage, and nothing is decided by it. */
    @Test
    void isHeldForAsLongAsTheBrokerDoesNotAnswer() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        node.transport.answerAll(message ->
                node.transport.attempted().size() < 100 ? LOSE_CONNECTION.apply(message) : CONFIRM.apply(message));
        node.deliver(delivery);

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @Test
    void showsWhyAndWhereItIsHeldAndThatTheQueueStandsStill() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        node.transport.answerNext(NACK);
        List<String> held = new ArrayList<>();
        List<TransportStatus> seen = new ArrayList<>();
        node.timeline.schedule(Duration.ofMillis(100), () -> {
            held.add(node.held().toString());
            seen.add(node.status());
        });
        node.deliver(delivery);
        assertThat(held)
                .singleElement()
                .asString()
                .startsWith("{billing-OrderPlaced=1 message can neither be handled nor set aside: SB-2002");
        assertThat(seen).singleElement().matches(TransportStatus::usable);
        assertThat(node.held()).isEmpty();
        seen.clear();

        node.transport.answerNext(NACK, NACK, NACK, NACK, NACK, NACK, NACK, NACK, NACK, NACK);
        deliverWhileHeld(node, 10, () -> seen.add(node.status()));

        assertThat(seen).singleElement().satisfies(status -> {
            assertThat(status.usable()).isFalse();
            assertThat(status.detail())
                    .startsWith("queue 'billing-OrderPlaced' is blocked: 10 messages can neither be handled");
        });
        assertThat(node.status().usable()).isTrue();
    }

    /** Each is delivered while the one before it waits for its next try. */
    private static void deliverWhileHeld(Node node, int count, Runnable then) {
        node.timeline.schedule(Duration.ofMillis(1), count == 1 ? then : () -> deliverWhileHeld(node, count - 1, then));
        node.deliver(Wires.orderPlaced().with("message_id", "held-" + count));
    }

    @Test
    void isNoLongerHeldWhenItsChannelGoes() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        node.transport.answerAll(message -> {
            if (node.transport.attempted().size() == 3) {
                delivery.closed();
            }
            return NACK.apply(message);
        });
        node.deliver(delivery);

        assertThat(node.transport.attempted()).hasSize(3);
        assertThat(delivery.acknowledged()).isZero();
        assertThat(delivery.settled()).isLessThanOrEqualTo(1);
    }

    @Test
    void isHandedBackWhenHoldingItIsInterrupted() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        node.transport.answerAll(message -> {
            Thread.currentThread().interrupt();
            return NACK.apply(message);
        });
        try {
            node.deliver(delivery);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(delivery.acknowledged()).isZero();
        assertThat(delivery.settled()).isEqualTo(1);
    }

    @Test
    void isNotHandledAgainWhenItComesAfterThePublicationsOfItsHandlerWereRefused() {
        Node node = new Node(Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> node.bunny().publish(new PaymentCaptured("o-1"));
        node.transport.answerNext(UNROUTABLE);
        node.deliver(delivery);
        assertThat(node.transport.published()).isEmpty();

        node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(node.transport.published()).hasSize(1);
    }
}
