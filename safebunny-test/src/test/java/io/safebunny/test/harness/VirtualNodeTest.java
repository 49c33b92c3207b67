// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.message.WireMessage;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.test.scheduler.DeterministicScheduler.Limits;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VirtualNodeTest {

    private static final TopologyOptions OPTIONS = TopologyOptions.defaults();
    private static final String QUEUE = "billing-OrderPlaced";

    private final VirtualNode node = new VirtualNode(new Limits(1_000, Duration.ofSeconds(1)));
    private final Transport billing = node.transport("billing", OPTIONS);
    private final List<String> handled = new ArrayList<>();

    @BeforeEach
    void start() {
        billing.start(
                TopologyPlanner.plan("billing", List.of(new Subscription("OrderPlaced", List.of("orders"))), OPTIONS));
    }

    @AfterEach
    void close() {
        node.close();
    }

    private void publish(String id) {
        WireMessage message = new WireMessage(
                id, "order-7", "OrderPlaced", "orders", 0L, "application/json", null, Map.of(), new byte[0]);
        var sent = billing.send(
                new OutboundMessage(message, new Route.ToQueue(QUEUE), Duration.ZERO),
                Deadline.after(Duration.ofSeconds(5), node.process().timeline()));
        sent.join();
    }

    private void handle(Delivery delivery) {
        handled.add(String.valueOf(delivery.message().message().messageId()));
        delivery.acknowledge();
    }

    @Test
    void whatATestLeftIsNotHandledWhenTheNextOneBegins() {
        var consumption = billing.consume(QUEUE, 1, this::handle);
        publish("a");
        publish("b"); // waits, because the first one is on its way

        node.clear();
        node.runUntilIdle();

        assertThat(handled).isEmpty();
        assertThat(node.isIdle()).isTrue();
        publish("c");
        node.runUntilIdle();
        assertThat(handled).containsExactly("c");
        consumption.stop().join();
    }

    @Test
    void aTaskThatHangsIsKnown() {
        CountDownLatch never = new CountDownLatch(1);
        var unused = billing.consume(QUEUE, 1, delivery -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        publish("a");
        assertThat(node.hangs()).isFalse();

        assertThatThrownBy(node::runUntilIdle).hasMessageContaining("real time");

        assertThat(node.hangs()).isTrue();
    }
}
