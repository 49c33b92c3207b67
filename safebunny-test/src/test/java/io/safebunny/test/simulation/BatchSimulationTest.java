// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.test.simulation.Orders.OrderPlaced;
import io.safebunny.test.simulation.Orders.PaymentCaptured;
import io.safebunny.test.simulation.run.Finding;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Batches in which instances crash at every point. What is published is taken by its id, so another id would be another effect. */
@Tag("once")
class BatchSimulationTest {

    private final Logger log = (Logger) LoggerFactory.getLogger("io.safebunny");
    private final List<Integer> sizes = new ArrayList<>();

    @BeforeEach
    void beSilent() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        log.setLevel(null);
    }

    private static void declare(SimulatedSystem system, Function<SimulatedNode, Object> billing) {
        system.node("billing", 2, node -> List.of(billing.apply(node)))
                .node("shipping", 1, node -> List.of(new Shipping(node)));
        Map<String, Integer> once = new HashMap<>();
        for (String order : List.of("1", "2", "3", "4")) {
            system.publish("storefront", new OrderPlaced(order), "order-" + order);
            once.put("charge " + order, 1);
            once.put("ship " + order, 1);
        }
        system.holds(
                "each order is charged and shipped once",
                () -> assertThat(system.effects().all()).isEqualTo(once));
    }

    record Shipping(SimulatedNode node) {
        @BunnyHandler(from = "billing")
        void on(PaymentCaptured captured, MessageContext context) {
            node.perform("ship " + captured.order(), context.messageId());
        }
    }

    final class Billing {

        private final SimulatedNode node;

        Billing(SimulatedNode node) {
            this.node = node;
        }

        @BunnyHandler(from = "storefront", batchSize = "4")
        void on(List<OrderPlaced> orders, List<MessageContext> contexts) {
            sizes.add(orders.size());
            for (int i = 0; i < orders.size(); i++) {
                node.perform("charge " + orders.get(i).order(), contexts.get(i).messageId());
                var unused = contexts.get(i)
                        .publisher()
                        .publish(new PaymentCaptured(orders.get(i).order()));
            }
        }
    }

    /** Says what it publishes is of the message, but gives it a key of the batch. */
    record OfTheBatch(SimulatedNode node) {

        @BunnyHandler(from = "storefront", batchSize = "4")
        void on(List<OrderPlaced> orders, List<MessageContext> contexts) {
            for (int i = 0; i < orders.size(); i++) {
                node.perform("charge " + orders.get(i).order(), contexts.get(i).messageId());
                var unused = contexts.get(i)
                        .publisher()
                        .publishNow(
                                new PaymentCaptured(orders.get(i).order()),
                                PublishOptions.none().withIdempotencyKey(i + " of " + orders.size()));
            }
        }
    }

    @Test
    void eachIsHandledOnceWhateverGoesWrong() {
        assertThat(Simulation.of(system -> declare(system, Billing::new)).explore(1_500, 1))
                .isNull();
        assertThat(sizes).contains(1).anyMatch(size -> size > 1);
    }

    @Test
    void anIdOfTheBatchIsFound() {
        Finding finding =
                Simulation.of(system -> declare(system, OfTheBatch::new)).explore(1_500, 1);

        assertThat(finding).isNotNull();
    }
}
