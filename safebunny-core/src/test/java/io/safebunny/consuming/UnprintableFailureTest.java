// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.RecordedDelivery;
import org.junit.jupiter.api.Test;

/** An exception whose text cannot be read, as that of some generated classes. */
class UnprintableFailureTest {

    private static final class Unprintable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new NullPointerException("no text");
        }
    }

    @Test
    void isRetriedLikeAnyOther() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new Unprintable());
        node.deliver();

        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.runs).hasValue(3);
    }

    @Test
    void isRetriedWhenOnlyItsCauseIsSo() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("failed", new Unprintable()));
        node.deliver();

        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.transport.returned()).hasSize(1);
    }

    @Test
    void isSetAsideWithItsClassAndPlace() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(new Unprintable());
        node.deliver();

        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> assertThat(
                        poison.message().headers())
                .containsEntry("sb-poison-reason", "handler-failed")
                .containsEntry("x-exception-type", Unprintable.class.getName())
                .hasEntrySatisfying("x-exception-message", text -> assertThat(text.toString())
                        .contains("cannot be read", "NullPointerException"))
                .hasEntrySatisfying("x-exception-stacktrace", trace -> assertThat(trace.toString())
                        .contains(Unprintable.class.getName(), "isSetAsideWithItsClassAndPlace")));
    }

    @Test
    void changesNothingAfterTheHandling() {
        Node node = new Node(Node.ONE_ATTEMPT, new After((context, next) -> {
            throw new Unprintable();
        }));
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.attempted()).isEmpty();
    }
}
