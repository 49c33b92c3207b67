// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.InterveningStore;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.Handling;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Middlewares that give the handler another payload than was delivered. */
class ReplacedPayloadTest {

    private static final ConsumeMiddleware UPCASTING = (context, next) -> {
        OrderPlaced order = (OrderPlaced) context.payload();
        context.replacePayload(new OrderPlaced(order.orderId() + " of 2", order.total()));
        next.run();
    };

    private final List<Object> seen = new ArrayList<>();

    private final ConsumeMiddleware behind = (context, next) -> {
        seen.add(context.payload());
        next.run();
    };

    @Test
    void handlerAndMiddlewaresBehindGetTheOther() {
        Node node = new Node(Node.ONE_ATTEMPT, UPCASTING, behind);
        node.handler = (payload, context) -> seen.add(payload);
        node.deliver();

        assertThat(seen).containsExactly(new OrderPlaced("o-1 of 2", 42), new OrderPlaced("o-1 of 2", 42));
    }

    @Test
    void itIsReplacedOnceWhateverTheRetriesInMemory() {
        Node node = new Node(Node.SIX_ATTEMPTS, UPCASTING);
        node.handler = (payload, context) -> {
            seen.add(payload);
            throw new IllegalStateException("failed");
        };
        node.deliver();

        assertThat(seen).hasSize(3).containsOnly(new OrderPlaced("o-1 of 2", 42));
    }

    @Test
    void copiesKeepWhatWasDelivered() {
        Node node = new Node(Node.SIX_ATTEMPTS, UPCASTING).failing(new IllegalStateException("failed"));
        node.deliver();
        WireMessage retry = node.transport.returned().get(0).message();

        assertThat(retry.body()).isEqualTo(Wires.orderPlaced().body());
        node.deliver(node.transport.returned().get(0));
        assertThat(node.transport.poisoned().get(0).message().body())
                .isEqualTo(Wires.orderPlaced().body());
    }

    @Test
    void whatTheHandlerDoesNotTakeIsRefusedWithBothClasses() {
        Node node = new Node(Node.ONE_ATTEMPT, (context, next) -> {
            context.replacePayload("an order");
            next.run();
        });
        node.deliver();

        assertThat(node.runs).hasValue(0);
        assertThat(String.valueOf(
                        node.transport.poisoned().get(0).message().headers().get("x-exception-message")))
                .contains("SB-5001", "[type=OrderPlaced, replacement=java.lang.String]", OrderPlaced.class.getName())
                .doesNotContain("an order");
    }

    /** What it joined was overtaken: all that surrounds the handler runs once more. */
    @Test
    void runsAgainFromWhatWasDelivered() {
        MemoryMessageStore memory = new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION);
        InterveningStore store = new InterveningStore(memory);
        Node node = new Node(store, Node.ONE_ATTEMPT, UPCASTING);
        node.handler = (payload, context) -> {
            seen.add(payload);
            Handling handling = ((HandledMessage) context).handling;
            MessageRecord companion = companion(handling);
            if (seen.size() == 1) {
                store.beforeWrite(() -> memory.create(companion));
                handling.join(companion.withSteps(Map.of("state", "overtaken")));
            } else {
                store.beforeWrite(() -> {});
            }
        };
        node.deliver();

        assertThat(seen).hasSize(2).containsOnly(new OrderPlaced("o-1 of 2", 42));
    }

    private static MessageRecord companion(Handling handling) {
        return MessageRecord.claim(
                handling.key().companion("saga"), "application", Duration.ZERO, 0, Fingerprint.of(handling.message()));
    }
}
