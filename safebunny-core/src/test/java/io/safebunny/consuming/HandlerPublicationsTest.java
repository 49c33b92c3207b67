// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.transport.OutboundMessage;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a handler publishes is sent when it succeeded, once, and not otherwise; with a memory of messages and without. */
class HandlerPublicationsTest {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areSentInOrderBeforeTheMessageIsAcknowledged(boolean remembers) {
        RecordedDelivery delivery =
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
        Node node = new Node(remembers, Node.ONE_ATTEMPT);
        node.handler = (payload, context) -> {
            node.bunny().publish(new PaymentCaptured("1"));
            node.bunny().publish(new OrderPlaced("2", 2));
            node.bunny().publish(new PaymentCaptured("3"));
            assertThat(node.transport.attempted()).isEmpty();
        };
        node.transport.answerAll(message -> {
            assertThat(delivery.settled()).isZero();
            return RecordingTransport.CONFIRM.apply(message);
        });
        node.deliver(delivery);

        assertThat(node.transport.confirmed())
                .extracting(message -> message.message().type())
                .containsExactly("PaymentCaptured", "OrderPlaced", "PaymentCaptured");
        assertThat(delivery.acknowledged()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areThoseOfOtherThreadsTooWhichGoOutWhenTheHandlerHasSucceeded(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            Bunny joining = context.publisher();
            CompletableFuture.runAsync(() -> joining.publish(
                            new PaymentCaptured("o-1"), PublishOptions.none().withIdempotencyKey("o-1")))
                    .get();
            assertThat(node.transport.attempted()).isEmpty();
            if (node.runs.get() < 3) {
                throw new IOException("failed");
            }
        };
        node.deliver();

        assertThat(node.transport.published()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areDroppedWhenTheHandlerFails(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            node.bunny().publish(new PaymentCaptured("ghost"));
            throw new IOException("failed");
        };
        node.deliver();
        node.deliver(node.transport.returned().get(0));

        assertThat(node.transport.published()).isEmpty();
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areThoseOfTheAttemptThatSucceeded(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            node.bunny().publish(new PaymentCaptured("try " + node.runs.get()));
            if (node.runs.get() < 3) {
                throw new IOException("failed");
            }
        };
        node.deliver();
        Node untroubled = new Node(remembers, Node.SIX_ATTEMPTS);
        untroubled.handler = (payload, context) -> untroubled.bunny().publish(new PaymentCaptured("o-1"));
        untroubled.deliver();

        assertThat(ids(node.transport.published())).hasSize(1).isEqualTo(ids(untroubled.transport.published()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areDroppedWhenAMiddlewareFailsAfterTheHandler(boolean remembers) {
        Node node = new Node(remembers, Node.ONE_ATTEMPT, (context, next) -> {
            next.run();
            throw new IllegalStateException("after the handler");
        });
        node.handler = (payload, context) -> node.bunny().publish(new PaymentCaptured("ghost"));
        node.deliver();

        assertThat(node.transport.published()).isEmpty();
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areDroppedThoughTheFailureIsSwallowedAndThoseOfTheMiddlewareAreKept(boolean remembers) {
        Node[] self = new Node[1];
        Node node = new Node(remembers, Node.ONE_ATTEMPT, (context, next) -> {
            self[0].bunny().publish(new OrderPlaced("before", 1));
            try {
                next.run();
            } catch (IOException e) {
                self[0].bunny().publish(new OrderPlaced("after", 1));
            }
        });
        self[0] = node;
        node.handler = (payload, context) -> {
            node.bunny().publish(new PaymentCaptured("ghost"));
            throw new IOException("failed");
        };
        node.deliver();

        assertThat(node.transport.confirmed())
                .extracting(message -> message.message().type())
                .containsExactly("OrderPlaced", "OrderPlaced");
        assertThat(ids(node.transport.confirmed())).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stayWhenTheyWereSentAtOnceAndHaveTheSameIdTheNextTime(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            node.bunny().publishNow(new PaymentCaptured("now"));
            if (node.runs.get() < 2) {
                throw new IOException("failed");
            }
        };
        node.deliver();

        assertThat(ids(node.transport.published())).hasSize(2);
        assertThat(ids(node.transport.published()).get(0))
                .isEqualTo(ids(node.transport.published()).get(1));
    }

    private static List<String> ids(List<OutboundMessage> messages) {
        return messages.stream()
                .map(message -> String.valueOf(message.message().messageId()))
                .toList();
    }
}
