// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.HoldingStore;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.ContextPropagator.Scope;
import io.safebunny.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the application keeps on the thread is set before anything is done for a message, and restored after all of it. */
class ContextPropagatorTest {

    private final ThreadLocal<@Nullable String> tenant = new ThreadLocal<>();
    private final List<String> order = new ArrayList<>();

    private Scope open(Envelope message) {
        order.add("open");
        tenant.set(String.valueOf(message.headers().get("tenant")));
        return () -> {
            order.add("close");
            tenant.remove();
        };
    }

    private static Wires ofTenant(String name) {
        return Wires.orderPlaced().withHeader("tenant", name);
    }

    @Test
    void surroundsTheStoreTheMiddlewaresAndTheHandler() {
        HoldingStore store = new HoldingStore(new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION));
        store.beforeReplace(record -> order.add(record.state() + " for " + tenant.get()));
        Node node = new Node(store, Node.ONE_ATTEMPT, (context, next) -> {
            order.add("before for " + tenant.get());
            next.run();
        });
        node.propagator = this::open;
        node.handler = (payload, context) -> order.add("handler for " + tenant.get());

        node.deliver(ofTenant("acme"));

        assertThat(order)
                .containsExactly("open", "before for acme", "handler for acme", "DISPATCHED for acme", "close");
        assertThat(node.closed).containsExactly("outer");
        assertThat(tenant.get()).isNull();
    }

    @Test
    void isOpenedOncePerDeliveryWhateverIsRetriedInMemory() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("each time"));
        node.propagator = this::open;

        node.deliver(ofTenant("acme"));

        assertThat(node.runs).hasValue(3);
        assertThat(order).containsExactly("open", "close");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itsFailureIsTheHandlersAndIsRetriedWithADelayThenSetAside(boolean remembers) {
        Node node = new Node(remembers, Node.SIX_ATTEMPTS);
        node.propagator = message -> {
            throw new IllegalStateException("no such tenant");
        };

        RecordedDelivery first = node.deliver();
        OutboundMessage again = node.transport.returned().get(0);
        RecordedDelivery last = node.deliver(again);

        assertThat(node.runs).hasValue(0);
        assertThat(first.acknowledged()).isOne();
        assertThat(last.acknowledged()).isOne();
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("sb-poison-reason", "retries-exhausted")
                .containsEntry("x-exception-message", "no such tenant");
        assertThat(node.closed).containsExactly("outer", "outer");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatReturnsNothingIsNamed(boolean remembers) {
        Node node = new Node(remembers, Node.ONE_ATTEMPT);
        node.propagator = message -> nothing();

        node.deliver();

        assertThat(node.runs).hasValue(0);
        assertThat(String.valueOf(
                        node.transport.poisoned().get(0).message().headers().get("x-exception-message")))
                .contains("A ContextPropagator returned null");
    }

    @SuppressWarnings("NullAway") // as code does that is not checked
    private static Scope nothing() {
        return null;
    }

    @Test
    void whatItThrowsOnClosingChangesNothing() {
        Node node = new Node(Node.SIX_ATTEMPTS);
        node.propagator = message -> () -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("on closing");
        };

        RecordedDelivery delivery = node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(delivery.acknowledged()).isOne();
        assertThat(node.transport.attempted()).isEmpty();
        assertThat(node.closed).containsExactly("outer");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
