// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static io.safebunny.fixture.RecordingTransport.CONFIRM;
import static io.safebunny.fixture.RecordingTransport.NACK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.safebunny.BunnyCircuitBreaker.Change;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.SafeBunnyEvent.MessagePoisoned;
import io.safebunny.SafeBunnyEvent.MessageTakenOver;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Events;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
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
    void aMessageRefusedBeforeItsHandlerIsPoisonedAndGivenUpOnce() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.deliver(Wires.orderPlaced().with("message_id", null).with("correlation_id", "a\nb"));

        assertThat(node.events).hasSize(2);
        assertThat(node.events.get(0)).isInstanceOfSatisfying(MessagePoisoned.class, event -> {
            assertThat(event.messageId()).isNull();
            assertThat(event.correlationId()).isEqualTo("a?b");
            assertThat(event.queue()).isEqualTo(Node.QUEUE);
        });
        assertThat(node.events.get(1)).isInstanceOfSatisfying(MessageGivenUp.class, event -> {
            assertThat(event.messageId()).isNull();
            assertThat(event.correlationId()).isEqualTo("a?b");
            assertThat(event.reason()).isEqualTo("missing-property");
        });
    }

    @Test
    void aRefusedMessageWhosePoisonCopyIsRefusedTooIsGivenUpOnceWhereverItGoes() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.transport.answerAll(NACK);
        node.deliver(Wires.orderPlaced().withBody("{"));

        assertThat(node.events).singleElement().isInstanceOf(MessageGivenUp.class);

        node.transport.answerAll(CONFIRM);
        node.deliver(deadLetter("rejected"));

        assertThat(node.events).filteredOn(MessageGivenUp.class::isInstance).hasSize(1);
        assertThat(node.events).filteredOn(MessagePoisoned.class::isInstance).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"delivery_limit", "expired", "maxlen"})
    void whatTheBrokerSetAsideIsGivenUpOnce(String death) {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.transport.answerAll(NACK);
        node.deliver(deadLetter(death));

        assertThat(node.events).as("it comes again").isEmpty();

        node.transport.answerAll(CONFIRM);
        node.deliver(deadLetter(death));

        assertThat(node.events).hasSize(2);
        assertThat(node.events).filteredOn(MessageGivenUp.class::isInstance).hasSize(1);
    }

    private static RecordedDelivery deadLetter(String reason) {
        Map<String, Object> death = Map.of("queue", Node.QUEUE, "reason", reason);
        return new RecordedDelivery(
                "billing-dead-letters",
                Wires.orderPlaced().withHeader("x-death", List.of(death)).wire());
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

    @Test
    void anInterruptOfOneListenerIsNotThatOfTheNext() {
        VirtualTimeline timeline = VirtualTimeline.skipping();
        List<Boolean> interrupted = new ArrayList<>();
        SafeBunnyEvent.Listener interrupts = event -> Thread.currentThread().interrupt();
        SafeBunnyEvent.Listener next =
                event -> interrupted.add(Thread.currentThread().isInterrupted());
        Events events = new Events("billing", List.of(interrupts, next), Runnable::run, timeline, log(timeline));
        events.tell(givenUp("too-old", 0, IOException.class));

        assertThat(interrupted).containsExactly(false);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void nothingAfterTheStopHoweverMuchWaits() {
        VirtualTimeline timeline = VirtualTimeline.skipping();
        Deque<Runnable> handedOver = new ArrayDeque<>();
        List<SafeBunnyEvent> told = new ArrayList<>();
        Events events = new Events("billing", List.of(told::add), handedOver::add, timeline, log(timeline));
        for (int i = 0; i <= 10_000; i++) {
            events.tell(givenUp("too-old", 0, IOException.class));
        }
        events.stop();
        events.tell(givenUp("too-old", 0, IOException.class));
        handedOver.forEach(Runnable::run);

        assertThat(timeline.elapsed()).isEqualTo(Duration.ofSeconds(1));
        assertThat(told).isEmpty();
    }

    @Test
    void untilTheStopOfAllThatHappened() {
        VirtualTimeline timeline = VirtualTimeline.skipping();
        List<SafeBunnyEvent> told = new ArrayList<>();
        Executor later = task -> timeline.schedule(Duration.ofMillis(10), task);
        Events events = new Events("billing", List.of(told::add), later, timeline, log(timeline));
        events.tell(givenUp("too-old", 0, IOException.class));
        events.stop();

        assertThat(told).hasSize(1);
    }

    @Test
    void anExecutorThatFailsCostsTheEventOnly() {
        VirtualTimeline timeline = VirtualTimeline.skipping();
        Executor broken = task -> {
            throw new IllegalStateException("broken");
        };
        Events events = new Events("billing", List.of(event -> {}), broken, timeline, log(timeline));

        assertThatCode(() -> events.tell(givenUp("too-old", 0, IOException.class)))
                .doesNotThrowAnyException();
    }

    private static BoundedLog log(VirtualTimeline timeline) {
        return new BoundedLog(timeline, ExceptionDetails.FULL);
    }
}
