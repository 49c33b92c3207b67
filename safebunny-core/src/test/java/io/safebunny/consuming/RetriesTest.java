// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.UnreliableStore;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a message whose handler fails. */
class RetriesTest {

    private final IllegalStateException failure = new IllegalStateException("failed");

    @Test
    void runInMemoryThenDelayedThenThePoisonQueueTakesTheMessage() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(failure);

        RecordedDelivery first = node.deliver();
        assertThat(node.runs).hasValue(3);
        assertThat(node.sleeps()).containsExactly(Duration.ofMillis(100), Duration.ofMillis(100));
        assertThat(first.settled()).isEqualTo(1);
        OutboundMessage copy = node.transport.returned().get(0);
        assertThat(copy.route()).isEqualTo(new Route.ToQueue(Node.QUEUE));
        assertThat(copy.delay()).isEqualTo(Duration.ofSeconds(10));
        assertThat(copy.message().headers()).containsEntry("sb-attempt", 1);
        assertThat(node.transport.poisoned()).isEmpty();

        RecordedDelivery second = node.deliver(copy);
        assertThat(node.runs).hasValue(6);
        assertThat(second.settled()).isEqualTo(1);
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> {
            assertThat(poison.route()).isEqualTo(new Route.Poison("billing"));
            assertThat(poison.message().headers())
                    .containsEntry("sb-poison-reason", "retries-exhausted")
                    .containsEntry("sb-attempt", 1);
        });
        assertThat(node.count("safebunny.retries", "type", "OrderPlaced", "stage", "immediate"))
                .isEqualTo(4);
        assertThat(node.count("safebunny.retries", "type", "OrderPlaced", "stage", "delayed"))
                .isEqualTo(1);
        assertThat(node.count("safebunny.poison", "type", "OrderPlaced", "reason", "retries-exhausted"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"0,0,true", "2,0,true", "0,3,true", "2,3,true", "1,2,false"})
    void areAsManyAsThePolicySays(int inMemory, int delayed, boolean remembers) {
        Node node = new Node(
                        remembers,
                        RecoveryPolicy.of(
                                RetryStrategy.of(inMemory, Duration.ofMillis(1)),
                                RetryStrategy.of(delayed, Duration.ofSeconds(1))))
                .failing(failure);
        node.deliver();
        for (int i = 0; i < node.transport.returned().size() && i < 10; i++) {
            node.deliver(node.transport.returned().get(i));
        }

        assertThat(node.runs).hasValue((inMemory + 1) * (delayed + 1));
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    @Test
    void endWithTheFirstSuccess() {
        Node node = new Node(Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            if (node.runs.get() == 1) {
                throw new IOException("the first time");
            }
        };

        assertThat(node.deliver().acknowledged()).isEqualTo(1);
        assertThat(node.runs).hasValue(2);
        assertThat(node.transport.attempted()).isEmpty();
    }

    @Test
    void changeNothingOfTheMessageButItsAttempt() {
        Wires original = Wires.orderPlaced().withHeader("tenant", "acme").withHeader("CC", "elsewhere");
        Node node = new Node(Node.SIX_ATTEMPTS).failing(failure);
        node.deliver(original);
        OutboundMessage copy = node.transport.returned().get(0);

        assertThat(copy.message().body()).isEqualTo(original.body());
        assertThat(copy.message().messageId()).isEqualTo(Wires.ID);
        assertThat(copy.message().correlationId()).isEqualTo(Wires.CORRELATION_ID);
        assertThat(copy.message().headers())
                .containsEntry("tenant", "acme")
                .containsEntry("sb-marker", 2)
                .doesNotContainKey("CC");
    }

    @Test
    void areSkippedWhenTheHandlerKnowsBetter() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new PoisonMessageException("no"));

        assertThat(node.deliver().settled()).isEqualTo(1);
        assertThat(node.runs).hasValue(1);
        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("sb-poison-reason", "handler-failed");
    }

    @Test
    void waitAsLongAsTheHandlerAsks() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new RetryLaterException(Duration.ofHours(2)));
        node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(node.transport.returned().get(0).delay()).isEqualTo(Duration.ofHours(2));
        assertThat(node.transport.returned().get(0).message().headers()).containsEntry("sb-attempt", 1);
    }

    @Test
    void areNotSpentByADuplicateThatMeetsTheOriginalInWork() {
        Node node = new Node(Node.ONE_ATTEMPT);
        List<RecordedDelivery> duplicates = new ArrayList<>();
        node.handler = (payload, context) -> duplicates.add(node.deliver());
        node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(duplicates).singleElement().satisfies(duplicate -> assertThat(duplicate.settled())
                .isEqualTo(1));
        assertThat(node.transport.attempted()).singleElement().satisfies(copy -> {
            assertThat(copy.route()).isEqualTo(new Route.ToQueue(Node.QUEUE));
            assertThat(copy.delay()).isPositive();
            assertThat(copy.message().headers()).containsEntry("sb-attempt", 0);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areNotSpentWhileTheStoreDoesNotAnswer(boolean atCompletion) {
        UnreliableStore store =
                new UnreliableStore(new MemoryMessageStore(VirtualTimeline.skipping(), Duration.ofDays(7)));
        Node node = new Node(store, Node.ONE_ATTEMPT);
        node.handler = (payload, context) -> store.down(true);
        store.down(!atCompletion);

        assertThat(node.deliver().settled()).isEqualTo(1);
        assertThat(node.runs).hasValue(atCompletion ? 1 : 0);
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.transport.attempted()).singleElement().satisfies(copy -> {
            assertThat(copy.route()).isEqualTo(new Route.ToQueue(Node.QUEUE));
            assertThat(copy.message().headers()).containsEntry("sb-attempt", 0);
        });
    }

    @Test
    void doNotLetAnErrorEscape() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new OutOfMemoryError("test"));

        assertThat(node.deliver().settled()).isEqualTo(1);
        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("x-exception-type", "java.lang.OutOfMemoryError");
    }

    @Test
    void areNotCutShortByAnInterruptThatIsLeftBehindAndDoesNotFailTheSettling() {
        Node node = new Node(Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            Thread.currentThread().interrupt();
            throw failure;
        };
        RecordedDelivery delivery = node.deliver();

        assertThat(Thread.interrupted()).isFalse();
        assertThat(node.runs).hasValue(3);
        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.returned()).hasSize(1);
    }

    @Test
    void keepTheBeansOfTheMessageScope() {
        List<Object> beans = new ArrayList<>();
        Node node = new Node(Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            beans.add(node.scope.get("bean", Object::new));
            throw failure;
        };
        node.deliver();
        node.deliver(node.transport.returned().get(0));

        assertThat(beans.subList(0, 3)).containsOnly(beans.get(0));
        assertThat(beans.subList(3, 6)).containsOnly(beans.get(3)).doesNotContain(beans.get(0));
    }

    /** A rung of the delay ladder that clashes, a missing permission: an operator mends it, the message is not to blame. */
    @Test
    void areHeldWhileTheBrokersConfigurationIsInTheWay() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(failure);
        RecordingTransport.Answer clash = message ->
                CompletableFuture.failedFuture(new ConfigurationException("SB-1201", "clash (test).", "mend it."));
        node.transport.answerNext(clash, clash);

        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.transport.poisoned()).isEmpty();
    }
}
