// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.message.WireMessage;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody knows a message of others, and sends copies of it with retry headers of his own. The record decides, not the copy. */
class ForgedRetriesTest {

    /** Each delivery is one attempt. */
    private static final int ATTEMPTS = 4;

    private static final long NOW = VirtualTimeline.START.toEpochMilli();

    private final Node node = node(true);

    private static Node node(boolean remembers) {
        return new Node(
                        remembers,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(ATTEMPTS - 1, Duration.ofSeconds(10))))
                .failing(new IllegalStateException("failed"));
    }

    private static Wires forged(int attempt) {
        return Wires.orderPlaced().withHeader("sb-attempt", attempt);
    }

    private static Wires replayed() {
        return Wires.orderPlaced().withHeader("sb-poisoned-at", NOW);
    }

    private void poison() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            node.deliver(forged(attempt));
        }
        assertThat(node.runs).hasValue(ATTEMPTS);
        assertThat(node.transport.poisoned()).hasSize(1);
    }

    /** The latest poison copy, as somebody moves it with all its headers. */
    private RecordedDelivery replay() {
        return replay(node.transport.poisoned().size() - 1);
    }

    private RecordedDelivery replay(int poisonCopy) {
        return node.deliver(node.transport.poisoned().get(poisonCopy));
    }

    private int attemptOfLastRetry() {
        Object attempt = node.transport
                .returned()
                .get(node.transport.returned().size() - 1)
                .message()
                .headers()
                .get("sb-attempt");
        return ((Number) Objects.requireNonNull(attempt)).intValue();
    }

    @Test
    void aCopyThatSaysItIsTheHundredthAttemptDoesNotExhaustTheRetriesOfTheOthers() {
        node.deliver();
        node.deliver(forged(100));

        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(attemptOfLastRetry()).as("one more than the record knew").isEqualTo(3);
    }

    @Test
    void norDoesOneThatComesFirst() {
        node.deliver(forged(100));
        node.deliver();

        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.runs).hasValue(2);
    }

    @Test
    void copiesOfTheFirstAttemptHaveTheirAttemptsInCommon() {
        for (int copy = 0; copy < 20; copy++) {
            node.deliver(forged(0));
        }

        assertThat(node.runs).hasValue(ATTEMPTS);
        assertThat(node.transport.returned()).hasSize(ATTEMPTS - 1);
        assertThat(node.transport.poisoned()).hasSize(20 - ATTEMPTS + 1);
    }

    @Test
    void aForgedReplayDoesNotBeginTheAttemptsAnew() {
        for (int copy = 0; copy < 20; copy++) {
            node.deliver(replayed());
        }

        assertThat(node.runs).hasValue(ATTEMPTS);
        assertThat(node.transport.poisoned()).hasSize(20 - ATTEMPTS + 1);
    }

    @Test
    void aForgedReplayDoesNotReopenWhatWasSetAside() {
        poison();

        node.deliver(replayed());
        node.deliver(replayed().withHeader("sb-poison-version", 1L));
        node.deliver(replayed().withHeader("sb-poison-version", Long.MAX_VALUE));

        assertThat(node.runs).hasValue(ATTEMPTS);
        assertThat(node.transport.poisoned()).hasSize(4);
        assertThat(node.count("safebunny.dedup", "type", "OrderPlaced", "outcome", "reopened"))
                .isZero();
    }

    @Test
    void aReplayOfThePoisonCopyReopensItWhichIsToldAndCounted() {
        poison();
        try (LogLines log = new LogLines("io.safebunny.dedup")) {
            replay();
            assertThat(log.texts()).singleElement().asString().contains("reopened", Wires.ID, "attempts before=4");
        }

        assertThat(node.runs).hasValue(ATTEMPTS + 1);
        assertThat(attemptOfLastRetry()).isEqualTo(1);
        assertThat(node.count("safebunny.dedup", "type", "OrderPlaced", "outcome", "reopened"))
                .isEqualTo(1);
    }

    /** Whoever got hold of one poison copy cannot have the message handled again and again with it. */
    @Test
    void aPoisonCopyReopensItsMessageOnce() {
        poison();
        replay(0);
        for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
            node.deliver(forged(attempt));
        }
        assertThat(node.transport.poisoned()).hasSize(2);

        for (int copy = 0; copy < 20; copy++) {
            replay(0);
        }

        assertThat(node.runs).hasValue(2 * ATTEMPTS);
        assertThat(node.transport.poisoned()).hasSize(22);
    }

    /** Nobody can know whether another copy was sent: it is not thrown away, and has the headers with which it can be replayed. */
    @Test
    void aCopyThatIsNotBelievedCanBeReplayedFromThePoisonQueue() {
        poison();
        node.deliver(replayed());

        replay();

        assertThat(node.runs).hasValue(ATTEMPTS + 1);
    }

    @Test
    void aReplayThatHasToWaitIsStillOneWhenItComesBack() {
        poison();
        node.breakers.open(OrderPlaced.class, Duration.ofMinutes(1));
        replay();
        node.breakers.close(OrderPlaced.class);
        node.deliver(node.transport.returned().get(node.transport.returned().size() - 1));

        assertThat(node.runs).hasValue(ATTEMPTS + 1);
        assertThat(attemptOfLastRetry()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sb-attempt", "sb-poisoned-at", "sb-poison-version"})
    void whatIsNoNumberOrBelowZeroIsRefused(String header) {
        node.deliver(Wires.orderPlaced().withHeader(header, "1"));
        node.deliver(Wires.orderPlaced().withHeader(header, -1));
        node.deliver(Wires.orderPlaced().withHeader(header, 1.5));

        assertThat(node.runs).hasValue(0);
        assertThat(node.transport.poisoned()).hasSize(3).allSatisfy(copy -> assertThat(
                        copy.message().headers())
                .containsEntry("sb-poison-reason", "missing-property"));
    }

    /** A void, as AMQP has it. */
    @Test
    void aReplayWithoutAValueIsNone() {
        poison();
        Map<String, Object> headers = new LinkedHashMap<>(Wires.orderPlaced().headers());
        putVoid(headers, "sb-poisoned-at");
        WireMessage message = Wires.orderPlaced().wire().withHeaders(headers);
        node.deliver(new RecordedDelivery(Node.QUEUE, message));

        assertThat(node.runs).hasValue(ATTEMPTS);
    }

    @SuppressWarnings("NullAway") // what a client may send
    private static void putVoid(Map<String, Object> headers, String name) {
        Object unused = headers.put(name, null);
    }

    @Test
    void thousandsOfForgedAttemptsAreTwentyLinesOfTheLog() {
        try (LogLines log = new LogLines("io.safebunny.dedup", Level.INFO)) {
            for (int i = 0; i < 1_000; i++) {
                node.deliver(forged(1_000_000).with("message_id", "m-" + i));
            }
            assertThat(log.texts()).hasSize(20);
        }
    }

    /** There is no record, and nobody else's retries to spend. */
    @Test
    void withoutAStoreAForgedAttemptShortensTheRetriesOfItsOwnCopy() {
        Node forgetful = node(false);
        forgetful.deliver(forged(1_000_000));
        assertThat(forgetful.transport.poisoned()).hasSize(1);

        forgetful.deliver();

        assertThat(forgetful.runs).hasValue(2);
        assertThat(forgetful.transport.poisoned()).hasSize(1);
        assertThat(forgetful.transport.returned()).hasSize(1);
    }
}
