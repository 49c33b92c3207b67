// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import org.junit.jupiter.api.Test;

/** The connection drops while the last attempt of a message is handled, and the attempt fails, perhaps for that. */
class LostLastAttemptTest {

    private final RecordedDelivery lost =
            new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());

    /** docs/guarantees.md: "the connection drops while its handler runs: the handler runs again". */
    @Test
    void isHandledAgainWhenTheBrokerDeliversItAgain() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.handler = (payload, context) -> {
            lost.closed();
            throw new IllegalStateException("no connection");
        };
        node.deliver(lost);
        node.handler = (payload, context) -> {};
        node.deliver();

        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.runs).hasValue(2);
    }

    /** Nothing was set aside yet, so whoever throws "leftover copies" away would throw the only one away. */
    @Test
    void isNoLeftoverCopyWhenItIsTheOnlyOne() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.handler = (payload, context) -> {
            lost.closed();
            throw new PoisonMessageException("hopeless");
        };
        node.deliver(lost);
        node.deliver();

        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> assertThat(
                        poison.message().headers())
                .containsEntry("sb-poison-reason", "handler-failed")
                .hasEntrySatisfying(
                        "x-exception-message",
                        text -> assertThat(text.toString()).contains("hopeless").doesNotContain("leftover")));
    }

    /** The mark in the store is written before the copy is sent, and nobody knows whether there is a copy. */
    @Test
    void isNotCalledALeftoverWhenItsPoisonCopyWasNeverSent() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new PoisonMessageException("hopeless"));
        node.transport.answerNext(copy -> {
            lost.closed();
            return RecordingTransport.NACK.apply(copy);
        });
        node.deliver(lost);
        node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> assertThat(
                        poison.message().headers())
                .containsKey("sb-poison-digest")
                .hasEntrySatisfying("x-exception-message", text -> assertThat(text.toString())
                        .contains("recorded as set aside before", "the only one")
                        .doesNotContain("leftover")));
    }
}
