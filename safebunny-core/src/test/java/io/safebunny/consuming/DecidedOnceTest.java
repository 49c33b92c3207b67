// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.UnreliableStore;
import io.safebunny.fixture.UnreliableStore.Fault;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a message's record says of its failure is what its copy says, whatever happens between the one and the other. */
class DecidedOnceTest {

    private static final RecordKey KEY = new RecordKey(Wires.CORRELATION_ID, Wires.ID);

    private static final RecoveryPolicy TWO_ATTEMPTS = RecoveryPolicy.of(
            RetryStrategy.none(), RetryStrategy.after(Duration.ofSeconds(10)).withJitter(0.5));

    /** A store during whose releases something else happens. */
    private static final class Meanwhile extends ForwardingMessageStore {
        private Runnable happening = () -> {};

        Meanwhile() {
            super(new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION));
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            MessageRecord replaced = super.replace(record);
            happening.run();
            return replaced;
        }
    }

    private static void agree(MessageRecord record, Node node) {
        List<OutboundMessage> copies = node.transport.attempted();
        assertThat(copies).hasSize(1);
        Map<String, Object> headers = copies.get(0).message().headers();
        if (record.state() == RecordState.POISONED) {
            assertThat(node.transport.poisoned()).hasSize(1);
            assertThat(headers).containsEntry("sb-poison-version", record.version());
        } else {
            assertThat(record.state()).isEqualTo(RecordState.RELEASED);
            assertThat(node.transport.returned()).hasSize(1);
            assertThat(headers).containsEntry("sb-attempt", record.attempt());
        }
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                arguments(new IOException("failed")),
                arguments(new StackOverflowError()),
                arguments(new PoisonMessageException("hopeless")),
                arguments(new RetryLaterException(Node.RETENTION.minusMinutes(1))),
                arguments(new RetryLaterException(Node.RETENTION.plusMinutes(1))),
                arguments(new ThrottledException(Node.RETENTION.minusMinutes(1))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("failures")
    void alsoWhenTheReleaseTakesLong(Throwable failure) {
        Meanwhile store = new Meanwhile();
        Node node = new Node(store, TWO_ATTEMPTS).failing(failure);
        store.happening = () -> node.timeline.advance(Duration.ofMinutes(2));
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        agree(Objects.requireNonNull(store.find(KEY)), node);
    }

    @Test
    void alsoWhenAMiddlewareReplacesTheFailure() {
        Meanwhile store = new Meanwhile();
        ConsumeMiddleware translating = (context, next) -> {
            try {
                next.run();
            } catch (IOException e) {
                throw new PoisonMessageException("hopeless", e);
            }
        };
        Node node = new Node(store, Node.SIX_ATTEMPTS, translating).failing(new IOException("failed"));
        node.deliver();

        assertThat(node.runs).as("runs of a failure that is retried in memory").hasValue(3);
        assertThat(node.transport.poisoned()).hasSize(1);
        agree(Objects.requireNonNull(store.find(KEY)), node);
    }

    /** The record could not be written; the copy says what was decided, and the next attempt believes it. */
    @Test
    void standsWhenTheStoreDoesNotAnswerTheRelease() {
        UnreliableStore store = new UnreliableStore(new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION));
        Node node = new Node(store, TWO_ATTEMPTS).failing(new IOException("failed"));
        store.nextWrites(Fault.NONE, Fault.LOST_REQUEST);
        node.deliver();

        assertThat(Objects.requireNonNull(store.find(KEY)).state()).isEqualTo(RecordState.CLAIMED);
        assertThat(node.transport.returned())
                .singleElement()
                .satisfies(copy -> assertThat(copy.message().headers()).containsEntry("sb-attempt", 1));
    }

    /** Its claim was taken over: the failure is no news of the message any more, and nothing of it is counted. */
    @Test
    void isSupersededWhenAnotherDeliveryHasTheMessageByThen() {
        Meanwhile store = new Meanwhile();
        Node node = new Node(store, TWO_ATTEMPTS);
        node.handler = (payload, context) -> {
            MessageRecord claim = Objects.requireNonNull(store.find(KEY));
            MessageRecord others = claim.claimedBy("another", claim.lease(), claim.attempt(), 1);
            assertThat(store.replace(others)).isNotNull();
            throw new PoisonMessageException("hopeless");
        };
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(Objects.requireNonNull(store.find(KEY)).owner()).isEqualTo("another");
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.transport.returned()).singleElement().satisfies(copy -> {
            assertThat(copy.delay()).isZero();
            assertThat(copy.message().headers()).containsEntry("sb-attempt", 0);
        });
    }

    /** The breaker is told of the failure, also when its message is set aside for asking too much. */
    @Test
    void pausesTheTypeOfAHandlerThatIsThrottledForTooLong() {
        Node node = new Node(TWO_ATTEMPTS).failing(new ThrottledException(Node.RETENTION.plusDays(1)));
        node.deliver();

        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(node.breakers.state(OrderPlaced.class)).isEqualTo(State.OPEN);
    }
}
