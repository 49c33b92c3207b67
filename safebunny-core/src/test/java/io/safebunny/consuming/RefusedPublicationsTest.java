// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.HoldingStore;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.transport.Route;
import org.junit.jupiter.api.Test;

/** The whole way of a message whose publications, or whose record, are refused. */
class RefusedPublicationsTest {

    private static Node publishingToNobody(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> node.bunny().publish(new PaymentCaptured("1"));
        node.transport.answerAll(message -> message.route() instanceof Route.ToSubscribers
                ? RecordingTransport.UNROUTABLE.apply(message)
                : RecordingTransport.CONFIRM.apply(message));
        return node;
    }

    @Test
    void areNotTheHandledMessagesFault() {
        Node node = publishingToNobody(true);

        for (int i = 0; i < 200; i++) {
            RecordedDelivery delivery = node.deliver(Wires.orderPlaced().with("message_id", "m-" + i));
            assertThat(delivery.acknowledged()).isEqualTo(1);
        }

        assertThat(node.runs).hasValue(200);
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.transport.returned()).isEmpty();
        assertThat(node.breakers.states()).containsEntry("OrderPlaced", State.CLOSED);
    }

    @Test
    void areExplainedWhereThereIsNoStoreToKeepThem() {
        Node node = publishingToNobody(false);
        node.deliver();
        node.deliver(node.transport.returned().get(0));

        assertThat(node.transport.poisoned()).singleElement().satisfies(message -> {
            assertThat(message.message().headers())
                    .containsEntry("sb-poison-reason", "retries-exhausted")
                    .containsEntry("x-exception-type", "io.safebunny.failure.UnpublishedException");
            assertThat(String.valueOf(message.message().headers().get("x-exception-message")))
                    .startsWith("SB-3008 Message " + Wires.ID + " was handled")
                    .contains("[type=PaymentCaptured, routingKey=billing-PaymentCaptured, id=")
                    .contains("Start the node that consumes it once")
                    .contains("publishes the same ids");
        });
    }

    @Test
    void ofRecordsSetTheMessageAsideAndPauseNobody() {
        HoldingStore store = new HoldingStore(new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION));
        store.beforeCreate(record -> {
            throw new RecordRefusedException(record.key(), "test", null);
        });
        Node node = new Node(store, Node.SIX_ATTEMPTS);

        for (int i = 0; i < 200; i++) {
            RecordedDelivery delivery = node.deliver(Wires.orderPlaced().with("message_id", "m-" + i));
            assertThat(delivery.acknowledged()).isEqualTo(1);
        }

        assertThat(node.runs).hasValue(0);
        assertThat(node.transport.poisoned()).hasSize(200).allSatisfy(message -> assertThat(
                        message.message().headers())
                .containsEntry("sb-poison-reason", "not-storable"));
        assertThat(node.breakers.states()).containsEntry("OrderPlaced", State.CLOSED);
    }
}
