// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A delivery that the transport's own interceptors did not let through to its handler. */
class RefusedDeliveryTest {

    private final Node node = new Node(Node.SIX_ATTEMPTS);

    private static RecordedDelivery refused(OutboundMessage copy) {
        return new RecordedDelivery(Node.QUEUE, copy.message()).refused(new IllegalStateException("no tenant"));
    }

    @Test
    void isTriedAgainLaterAndAtLastSetAsideAndNeverHandled() {
        RecordedDelivery first = node.deliver(
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire())
                        .refused(new IllegalStateException("no tenant")));

        assertThat(first.settled()).isEqualTo(1);
        OutboundMessage copy = node.transport.returned().get(0);
        assertThat(copy.delay()).isEqualTo(Duration.ofSeconds(10));
        assertThat(copy.message().headers()).containsEntry("sb-attempt", 1);

        RecordedDelivery second = node.deliver(refused(copy));

        assertThat(second.settled()).isEqualTo(1);
        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> assertThat(
                        poison.message().headers())
                .containsEntry("sb-poison-reason", "retries-exhausted")
                .containsEntry("x-exception-message", "no tenant"));
        assertThat(node.runs).hasValue(0);
    }

    @Test
    void alsoWhenAnErrorKeptItFromItsHandler() {
        RecordedDelivery delivery = node.deliver(
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire())
                        .refused(new NoClassDefFoundError("of the interceptor")));

        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.runs).hasValue(0);
    }
}
