// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static io.safebunny.fixture.RecordingTransport.NACK;
import static io.safebunny.fixture.RecordingTransport.SILENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.Published;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.ThrottledException;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.UnpublishedException;
import io.safebunny.fixture.HoldingStore;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The after group is told of each message once: how it ended. */
class AfterGroupTest {

    private static final RecordKey KEY = new RecordKey(Wires.CORRELATION_ID, Wires.ID);

    /** What it was told: no failure when the message was completed. */
    private final List<@Nullable Throwable> told = new ArrayList<>();

    private final List<String> order = new ArrayList<>();
    private final HoldingStore store =
            new HoldingStore(new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION));

    private After recording() {
        return new After((context, next) -> {
            told.add(context.failure());
            order.add("after");
            next.run();
        });
    }

    private void refuseCompletions() {
        store.beforeReplace(record -> {
            if (record.state() == RecordState.COMPLETED || record.state() == RecordState.DISPATCHED) {
                throw new RecordRefusedException(record.key(), "test", null);
            }
        });
    }

    // ---- completed

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runsAfterASuccess(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS, recording());
        node.deliver();

        assertThat(told).hasSize(1).containsOnlyNulls();
    }

    @Test
    void runsWhenTheCompletionIsStoredAndBeforeTheAcknowledgement() {
        RecordedDelivery delivery =
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
        List<@Nullable MessageRecord> stored = new ArrayList<>();
        Node node = new Node(store, Node.ONE_ATTEMPT, new After((context, next) -> {
            stored.add(store.find(KEY));
            assertThat(delivery.settled()).isZero();
        }));
        node.deliver(delivery);

        assertThat(stored).singleElement().satisfies(record -> assertThat(record)
                .isNotNull()
                .extracting(MessageRecord::state)
                .isIn(RecordState.COMPLETED, RecordState.DISPATCHED));
        assertThat(delivery.acknowledged()).isEqualTo(1);
    }

    @Test
    void runsOutsideTheBeforeGroup() {
        Node node = new Node(
                Node.ONE_ATTEMPT,
                (context, next) -> {
                    order.add("before");
                    next.run();
                    order.add("end");
                },
                recording());
        node.handler = (payload, context) -> order.add("handler");
        node.deliver();

        assertThat(order).containsExactly("before", "handler", "end", "after");
    }

    @Test
    void runsOnceWhateverAMiddlewareMakesOfTheHandler() {
        ConsumeMiddleware repeating = (context, next) -> {
            next.run();
            next.run();
        };
        ConsumeMiddleware swallowing = (context, next) -> {
            try {
                next.run();
            } catch (IOException e) {
                assertThat(context.failure()).isSameAs(e);
            }
        };
        ConsumeMiddleware shortCircuiting = (context, next) -> {};
        for (ConsumeMiddleware middleware : List.of(repeating, swallowing, shortCircuiting)) {
            told.clear();
            Node node = new Node(Node.ONE_ATTEMPT, middleware, recording());
            if (middleware == swallowing) {
                node.failing(new IOException("swallowed"));
            }
            node.deliver();

            assertThat(told).as("completed").hasSize(1).containsOnlyNulls();
        }
    }

    /** The record has them; the message is handled, though it comes back so that they are sent. */
    @Test
    void runsOnceWhenThePublicationsOfACompletedMessageAreNotConfirmed() {
        Node node = new Node(store, Node.ONE_ATTEMPT, recording());
        node.handler = (payload, context) -> node.bunny().publish(new PaymentCaptured("42"));
        node.transport.answerNext(SILENCE);
        node.deliver();

        assertThat(node.transport.returned()).hasSize(1);
        assertThat(told).hasSize(1).containsOnlyNulls();

        node.timeline.advance(Duration.ofHours(1));
        node.breakers.close();
        node.deliver(node.transport.returned().get(0));

        assertThat(told).hasSize(1);
    }

    @Test
    void doesNotRunForADuplicate() {
        Node node = new Node(store, Node.ONE_ATTEMPT, recording());
        node.deliver();
        node.deliver();

        assertThat(told).hasSize(1);
    }

    // ---- given up

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runsOnceAfterAFailureWithWhatTheLastAttemptThrew(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS, recording());
        node.handler = (payload, context) -> {
            throw new IOException("try " + node.runs.get());
        };
        node.deliver();

        assertThat(told).as("told of a message that comes back").isEmpty();

        node.deliver(node.transport.returned().get(0));

        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(told).singleElement().satisfies(failure -> assertThat(failure)
                .isInstanceOf(IOException.class)
                .hasMessage("try 6"));
    }

    @Test
    void runsAfterAnErrorToo() {
        Node node = new Node(Node.ONE_ATTEMPT, recording()).failing(new StackOverflowError());
        node.deliver();

        assertThat(told).singleElement().isInstanceOf(StackOverflowError.class);
    }

    @Test
    void seesThatTheCompletionIsRefused() {
        refuseCompletions();
        Node node = new Node(store, Node.SIX_ATTEMPTS, recording());
        node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(told).singleElement().isInstanceOf(InvalidMessageException.class);
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @Test
    void seesThatAMiddlewareOfTheBeforeGroupFailed() {
        IOException failure = new IOException("before");
        Node node = new Node(
                Node.ONE_ATTEMPT,
                (context, next) -> {
                    next.run();
                    throw failure;
                },
                recording());
        node.deliver();

        assertThat(told).containsExactly(failure);
    }

    @Test
    void seesThatWithoutAStorePublicationsAreRefused() {
        Node node = new Node(false, Node.ONE_ATTEMPT, recording());
        node.handler = (payload, context) -> node.bunny().publish(new PaymentCaptured("42"));
        node.transport.answerNext(NACK);
        node.deliver();

        assertThat(told).singleElement().isInstanceOf(UnpublishedException.class);
    }

    @Test
    void runsOnceWhenTheBrokerRefusesThePoisonCopyAndMovesTheMessageItself() {
        Node node = new Node(Node.ONE_ATTEMPT, recording()).failing(new IOException("failed"));
        node.transport.answerAll(NACK);
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.rejected()).isEqualTo(1);
        assertThat(told).singleElement().isInstanceOf(IOException.class);
    }

    /** It is recorded as set aside, and nobody handles it again: the next delivery only adds the copy. */
    @Test
    void runsOnceWhenTheDeliveryIsLostUnderThePoisonCopy() {
        RecordedDelivery delivery =
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
        Node node = new Node(store, Node.ONE_ATTEMPT, recording()).failing(new IOException("failed"));
        node.transport.answerNext(losing(delivery));
        node.deliver(delivery);

        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(told).singleElement().isInstanceOf(IOException.class);

        node.deliver();

        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(told).hasSize(1);
    }

    /** No later delivery would tell of it. */
    @Test
    void runsOnceWhenTheDeliveryIsLostWhileItIsRecordedAsSetAside() {
        RecordedDelivery delivery =
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
        Node node = new Node(store, Node.ONE_ATTEMPT, recording()).failing(new IOException("failed"));
        losingWhenSetAside(delivery);
        node.deliver(delivery);

        assertThat(told).singleElement().isInstanceOf(IOException.class);
        assertThat(node.events).singleElement().isInstanceOf(MessageGivenUp.class);

        node.deliver();

        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(told).hasSize(1);
        assertThat(node.events).filteredOn(MessageGivenUp.class::isInstance).hasSize(1);
    }

    @Test
    void runsOnceWhenTheDeliveryIsLostWhileASilentClaimIsSetAside() {
        MessageRecord silent = MessageRecord.claim(
                        KEY,
                        "another",
                        Duration.ofSeconds(30),
                        0,
                        Fingerprint.of(Wires.orderPlaced().envelope()))
                .withTakeovers(20);
        assertThat(store.create(silent)).isEqualTo(silent);
        RecordedDelivery delivery =
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
        Node node = new Node(store, Node.ONE_ATTEMPT, recording());
        node.deliver();
        node.timeline.advance(Duration.ofSeconds(31));
        losingWhenSetAside(delivery);
        node.deliver(delivery);

        assertThat(node.runs).hasValue(0);
        assertThat(node.events).singleElement().isInstanceOfSatisfying(MessageGivenUp.class, event -> assertThat(
                        event.reason())
                .isEqualTo("delivery-limit"));

        node.deliver();

        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(node.events).filteredOn(MessageGivenUp.class::isInstance).hasSize(1);
    }

    private void losingWhenSetAside(RecordedDelivery delivery) {
        store.beforeReplace(record -> {
            if (record.state() == RecordState.POISONED) {
                delivery.closed();
            }
        });
    }

    /** Then the handler runs again, and only its own end counts. */
    @Test
    void withoutAStoreItRunsWhenTheNextDeliveryHasEnded() {
        RecordedDelivery delivery =
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
        Node node = new Node(false, Node.ONE_ATTEMPT, recording()).failing(new IOException("failed"));
        node.transport.answerNext(losing(delivery));
        node.deliver(delivery);

        assertThat(told).isEmpty();

        node.deliver();

        assertThat(told).singleElement().isInstanceOf(IOException.class);
    }

    private static RecordingTransport.Answer losing(RecordedDelivery delivery) {
        return message -> {
            delivery.closed();
            return NACK.apply(message);
        };
    }

    @Test
    void runsAgainForAReplayThatIsGivenUpAgain() {
        Node node = new Node(store, Node.ONE_ATTEMPT, recording()).failing(new IOException("failed"));
        node.deliver();
        node.deliver(node.transport.poisoned().get(0));

        assertThat(node.runs).hasValue(2);
        assertThat(told).hasSize(2);
    }

    // ---- neither

    @Test
    void doesNotRunForAMessageThatComesBackWithoutHavingCostAnAttempt() {
        Node node = new Node(Node.ONE_ATTEMPT, recording()).failing(new ThrottledException(Duration.ofSeconds(1)));
        node.deliver();

        assertThat(node.transport.returned()).hasSize(1);
        assertThat(told).isEmpty();
    }

    @Test
    void doesNotRunForAFurtherCopyOfAMessageThatWasSetAside() {
        Node node = new Node(store, Node.ONE_ATTEMPT, recording()).failing(new IOException("failed"));
        node.deliver();
        node.deliver();

        assertThat(node.transport.poisoned()).hasSize(2);
        assertThat(told).hasSize(1);
    }

    @Test
    void doesNotRunForAMessageThatIsRefusedBeforeAnyMiddleware() {
        Node node = new Node(Node.ONE_ATTEMPT, recording());
        node.deliver(Wires.orderPlaced().withBody("no JSON"));

        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(told).isEmpty();
    }

    // ---- what it may do

    @Test
    void changesNothingWhenItFails() {
        for (boolean remembers : new boolean[] {true, false}) {
            Node node = new Node(remembers, Node.SIX_ATTEMPTS, new After((context, next) -> {
                if (remembers) {
                    throw new IOException("after");
                }
                throw new StackOverflowError("after");
            }));
            node.handler = (payload, context) -> node.bunny().publish(new PaymentCaptured("42"));
            RecordedDelivery delivery = node.deliver();

            assertThat(delivery.acknowledged()).isEqualTo(1);
            assertThat(node.runs).hasValue(1);
            assertThat(node.transport.published()).hasSize(1);
            assertThat(node.transport.poisoned()).isEmpty();
        }
    }

    @Test
    void anInterruptThatItLeavesBehindIsCleared() {
        Node node = new Node(Node.ONE_ATTEMPT, new After((context, next) -> Thread.currentThread()
                .interrupt()));
        node.deliver();

        assertThat(Thread.interrupted()).as("left behind on the worker").isFalse();
    }

    @Test
    void doesNotHideTheFailureOfTheHandler() {
        IllegalStateException failure = new IllegalStateException("handler");
        Node node = new Node(Node.ONE_ATTEMPT, new After((context, next) -> {
                    throw new IOException("after");
                }))
                .failing(failure);
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("x-exception-message", "handler");
    }

    @Test
    void publishesASagaOfItsOwn() {
        List<Node> nodes = new ArrayList<>();
        Node node = new Node(store, Node.ONE_ATTEMPT, new After((context, next) -> {
            Published unused = nodes.get(0).bunny().publish(new PaymentCaptured("42"));
        }));
        nodes.add(node);
        node.failing(new IOException("failed")).deliver();

        assertThat(node.transport.published())
                .singleElement()
                .satisfies(sent -> assertThat(sent.message().correlationId()).isNotEqualTo(Wires.CORRELATION_ID));
    }

    /** Its record is final: a step would open it again. */
    @Test
    void mayUseNeitherStepsNorThePublisherOfTheHandling() {
        List<String> refused = new ArrayList<>();
        Node node = new Node(store, Node.ONE_ATTEMPT, new After((context, next) -> {
            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(() -> context.once("mail", () -> refused.add("run")))
                    .withMessageContaining("SB-5004")
                    .withMessageContaining("is over");
            assertThatExceptionOfType(InvalidPublicationException.class).isThrownBy(context::publisher);
            refused.add("both");
        }));
        node.deliver();

        assertThat(refused).containsExactly("both");
        assertThat(store.find(KEY))
                .isNotNull()
                .extracting(MessageRecord::state)
                .isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
    }

    @Test
    void knowsTheMessage() {
        List<ConsumeContext> contexts = new ArrayList<>();
        Node node = new Node(Node.ONE_ATTEMPT, new After((context, next) -> contexts.add(context)));
        node.deliver();

        assertThat(contexts).singleElement().satisfies(context -> {
            assertThat(context.payload()).isEqualTo(new OrderPlaced("o-1", 42));
            assertThat(context.queue()).isEqualTo("billing-OrderPlaced");
            assertThat(context.from()).isEqualTo("orders");
            assertThat(context.marker()).isEqualTo(2);
            assertThat(context.attempt()).isZero();
            assertThat(context.sentAt()).isEqualTo(VirtualTimeline.START);
        });
    }
}
