// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A handler asks for the message in eight days, though messages are remembered for seven: it would come back too old to be handled. */
class AskedForLongTest {

    private static final Duration LONG = Node.RETENTION.plusDays(1);

    private static Node asking(boolean remembers, Exception wish) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            if (node.runs.get() == 1) {
                throw wish;
            }
        };
        return node;
    }

    private static void isSetAsideAtOnceAndCanBeReplayed(Node node) {
        node.deliver();

        assertThat(node.transport.returned()).isEmpty();
        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> assertThat(
                        poison.message().headers())
                .containsEntry("sb-poison-reason", "handler-failed")
                .hasEntrySatisfying("x-exception-message", text -> assertThat(text.toString())
                        .contains("SB-3001", "PT192H", "safebunny.dedup.retention=PT168H")));

        RecordedDelivery copy = node.deliver();
        assertThat(node.runs).as("runs for a copy that is no replay").hasValue(1);
        RecordedDelivery replay = node.deliver(node.transport.poisoned().get(0));
        assertThat(copy.acknowledged()).isEqualTo(1);
        assertThat(replay.acknowledged()).isEqualTo(1);
        assertThat(node.runs).hasValue(2);
    }

    private static void comesBackToTheHandlerAfter(Duration delay, Node node, Wires message) {
        node.deliver(message);
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.transport.returned()).hasSize(1);
        node.timeline.advance(delay);
        RecordedDelivery again = node.deliver(node.transport.returned().get(0));

        assertThat(again.acknowledged()).isEqualTo(1);
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.runs).hasValue(2);
    }

    @Test
    void laterThanItMayBeIsRefused() {
        isSetAsideAtOnceAndCanBeReplayed(asking(true, new RetryLaterException(LONG)));
    }

    @Test
    void aPauseLongerThanItMayLastIsRefusedForTheMessageThatAsked() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new ThrottledException(LONG));
        node.deliver();

        assertThat(node.transport.returned()).isEmpty();
        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> assertThat(
                        poison.message().headers())
                .containsEntry("sb-poison-reason", "handler-failed"));
    }

    @Test
    void itsAgeCounts() {
        Duration delay = Duration.ofDays(4);
        Node old = asking(true, new RetryLaterException(delay));
        old.timeline.advance(Duration.ofDays(4));
        old.deliver();

        assertThat(old.transport.returned()).isEmpty();
        assertThat(old.transport.poisoned()).hasSize(1);
    }

    @Test
    void itComesBackWhenItIsStillYoungEnoughThen() {
        Duration delay = Node.RETENTION.minusSeconds(1);
        comesBackToTheHandlerAfter(delay, asking(true, new RetryLaterException(delay)), Wires.orderPlaced());
        comesBackToTheHandlerAfter(delay, asking(true, new ThrottledException(delay)), Wires.orderPlaced());
    }

    @Test
    void itComesBackWhenNothingIsRemembered() {
        comesBackToTheHandlerAfter(LONG, asking(false, new RetryLaterException(LONG)), Wires.orderPlaced());
        comesBackToTheHandlerAfter(LONG, asking(false, new ThrottledException(LONG)), Wires.orderPlaced());
    }
}
