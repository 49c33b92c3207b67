// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.MessageContext;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.Wires;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

/** A handler brings about that another message is handled on its thread, and then goes on as if nothing had been. */
class NestedHandlingTest {

    private static final String INNER = "inner";

    private final List<String> seen = new ArrayList<>();

    private Node node(boolean remembers, Inner inner) {
        Node node = new Node(remembers, Node.ONE_ATTEMPT);
        node.handler = (payload, context) -> {
            if (context.messageId().equals(INNER)) {
                inner.handle(node, context);
                return;
            }
            node.bunny().publish(new PaymentCaptured("before"));
            seen.add(bean(node));
            node.deliver(Wires.orderPlaced().with("message_id", INNER));
            seen.add(bean(node));
            assertThat(MDC.get("safebunny.messageId")).isEqualTo(Wires.ID);
            assertThat(MDC.get("safebunny.correlationId")).isEqualTo(Wires.CORRELATION_ID);
            assertThat(MDC.get("safebunny.type")).isEqualTo("OrderPlaced");
            node.bunny().publish(new PaymentCaptured("after"));
        };
        return node;
    }

    /** Handles the message within. */
    @FunctionalInterface
    private interface Inner {
        void handle(Node node, MessageContext context) throws Exception;
    }

    private static String bean(Node node) {
        return node.scope.get("bean", Object::new).toString();
    }

    private static List<Envelope> published(Node node) {
        return node.transport.published().stream()
                .map(message -> EnvelopeReader.read(message.message()))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachPublishesItsOwn(boolean remembers) {
        Node node = node(remembers, (self, context) -> {
            assertThat(MDC.get("safebunny.messageId")).isEqualTo(INNER);
            self.bunny().publish(new PaymentCaptured("within"));
        });
        node.deliver();

        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(published(node)).extracting(Envelope::causationId).containsExactly(INNER, Wires.ID, Wires.ID);
        assertThat(published(node)).extracting(Envelope::id).doesNotHaveDuplicates();
        assertThat(MDC.get("safebunny.messageId")).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theFailureOfTheInnerChangesNothing(boolean remembers) {
        Node node = node(remembers, (self, context) -> {
            throw new IOException("within");
        });
        node.deliver();

        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(published(node)).extracting(Envelope::causationId).containsExactly(Wires.ID, Wires.ID);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachHasItsOwnScope(boolean remembers) {
        Node node = node(remembers, (self, context) -> seen.add(bean(self)));
        node.deliver();

        assertThat(seen).hasSize(3);
        assertThat(seen.get(2)).isEqualTo(seen.get(0));
        assertThat(seen.get(1)).isNotEqualTo(seen.get(0));
    }
}
