// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static io.safebunny.fixture.RecordingTransport.NACK;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyCircuitBreaker.Change;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.SafeBunnyEvent.MessagePoisoned;
import io.safebunny.SafeBunnyEvent.MessageTakenOver;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.spi.store.Fingerprint;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.time.VirtualTimeline;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What listeners are told. */
class EventsTest {

    private static final RecordKey KEY = new RecordKey(Wires.CORRELATION_ID, Wires.ID);

    private static final RecoveryPolicy ONE_DELAYED_RETRY =
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.after(Duration.ofSeconds(10)));

    private final MessageStore store = new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION);

    private static MessagePoisoned poisoned(String reason, Class<?> exception) {
        return new MessagePoisoned(
                "billing",
                Node.QUEUE,
                "OrderPlaced",
                Wires.ID,
                Wires.CORRELATION_ID,
                reason,
                exception.getName(),
                VirtualTimeline.START);
    }

    private static MessageGivenUp givenUp(String reason, int attempt, Class<?> exception) {
        return new MessageGivenUp(
                "billing",
                "OrderPlaced",
                Wires.ID,
                Wires.CORRELATION_ID,
                attempt,
                reason,
                exception.getName(),
                VirtualTimeline.START);
    }

    @Test
    void nothingOfAMessageThatIsHandled() {
        Node node = new Node(Node.SIX_ATTEMPTS);
        node.deliver();

        assertThat(node.events).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theFinalFailureOnceAndNotTheOnesBefore(boolean remembers) {
        Node node = new Node(remembers, ONE_DELAYED_RETRY).failing(new IOException("a card number"));
        node.deliver();

        assertThat(node.events).as("told of a message that comes back").isEmpty();

        node.deliver(node.transport.returned().get(0));

        assertThat(node.events)
                .containsExactly(
                        poisoned("retries-exhausted", IOException.class),
                        givenUp("retries-exhausted", 1, IOException.class));
        assertThat(node.events.toString()).doesNotContain("card number");
    }

    @Test
    void aFurtherCopyIsPoisonedAndNotGivenUpAgain() {
        Node node = new Node(store, Node.ONE_ATTEMPT).failing(new IOException("failed"));
        node.deliver();
        node.deliver();

        assertThat(node.events).hasSize(3);
        assertThat(node.events).filteredOn(MessagePoisoned.class::isInstance).hasSize(2);
        assertThat(node.events).filteredOn(MessageGivenUp.class::isInstance).hasSize(1);
    }

    @Test
    void aRefusedPoisonCopyIsGivenUpAndNotPoisoned() {
        Node node = new Node(store, Node.ONE_ATTEMPT).failing(new IOException("failed"));
        node.transport.answerAll(NACK);
        node.deliver();

        assertThat(node.events).singleElement().isInstanceOf(MessageGivenUp.class);
    }

    @Test
    void aMessageRefusedBeforeItsHandlerIsPoisonedOnly() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.deliver(Wires.orderPlaced().with("message_id", null).with("correlation_id", "a\nb"));

        assertThat(node.events).singleElement().isInstanceOfSatisfying(MessagePoisoned.class, event -> {
            assertThat(event.messageId()).isNull();
            assertThat(event.correlationId()).isEqualTo("a?b");
            assertThat(event.queue()).isEqualTo(Node.QUEUE);
        });
    }

    @Test
    void aSilentClaimThatIsTakenOverBeforeTheHandlerRuns() {
        MessageRecord silent = MessageRecord.claim(
                KEY,
                "another",
                Duration.ofSeconds(30),
                0,
                Fingerprint.of(Wires.orderPlaced().envelope()));
        assertThat(store.create(silent)).isEqualTo(silent);
        Node node = new Node(store, Node.ONE_ATTEMPT);
        node.handler =
                (payload, context) -> assertThat(node.events).singleElement().isInstanceOf(MessageTakenOver.class);
        node.deliver();

        assertThat(node.events).as("busy").isEmpty();

        node.timeline.advance(Duration.ofSeconds(31));
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.runs).hasValue(1);
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.events)
                .containsExactly(new MessageTakenOver(
                        "billing",
                        "OrderPlaced",
                        Wires.ID,
                        Wires.CORRELATION_ID,
                        0,
                        1,
                        VirtualTimeline.START.plusSeconds(31)));
    }

    @Test
    void theStatesOfACircuitBreaker() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.breakers.open(Duration.ofSeconds(10));
        node.timeline.advance(Duration.ofSeconds(10));
        node.breakers.close();

        assertThat(node.events)
                .filteredOn(event -> ((Change) event).type().equals("OrderPlaced"))
                .extracting(event -> ((Change) event).to())
                .containsExactly(State.OPEN, State.HALF_OPEN, State.CLOSED);
        assertThat(node.events)
                .extracting(SafeBunnyEvent::occurredAt)
                .contains(VirtualTimeline.START, VirtualTimeline.START.plusSeconds(10));
    }

    @Test
    void aListenerThatThrowsChangesNothing() {
        Node node = new Node(store, Node.ONE_ATTEMPT).failing(new IOException("failed"));
        node.listener = event -> {
            throw new StackOverflowError("listener");
        };
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(node.events).hasSize(2);
    }
}
