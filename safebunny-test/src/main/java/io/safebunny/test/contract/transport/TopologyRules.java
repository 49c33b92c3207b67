// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.message;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Queue;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Transport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Applying a topology: harmless when repeated, refused when it contradicts what is there. */
interface TopologyRules {

    TransportBench bench();

    @Test
    default void appliesAnEqualTopologyAgainWithoutAnyEffect() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox inbox = billing.consume();

        orders.publish(message("before"));
        inbox.awaitIds("before");
        billing.transport().start(billing.topology());
        bench().instanceOf(billing);
        orders.publish(message("after"));

        inbox.awaitIds("before", "after");
    }

    @Test
    default void refusesAQueueThatExistsWithOtherArgumentsAndChangesNothing() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox inbox = billing.consume();
        Transport other = bench().transport(billing.name());

        assertThatThrownBy(() -> other.start(withOtherArguments(billing.topology())))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(billing.queue());

        orders.publish(message("unharmed"));
        inbox.awaitIds("unharmed");
    }

    /** Both queues would get each message. */
    @Test
    default void refusesATypeThatTheNodeHasTakenInTheOtherWayAndChangesNothing() {
        TestNode orders = bench().publisher("orders");
        TestNode any = bench().subscriber("billing", orders);
        TestNode inOrder = bench().orderedSubscriber("shipping", bench().publisher("sales"));

        for (TestNode node : List.of(any, inOrder)) {
            Topology other = bench().inTheOtherWay(node, orders);
            String queue = other.queues().get(0).name();
            assertThatThrownBy(() -> bench().transport(node.name()).start(other))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("SB-1205")
                    .hasMessageContaining(queue)
                    .hasMessageContaining(node.topology().queues().get(0).name());
            assertThatExceptionOfType(BrowsingException.class)
                    .isThrownBy(() -> look(node.transport(), queue))
                    .withMessageContaining("SB-5018");
        }
        Inbox inbox = any.consume();
        orders.publish(message("unharmed"));
        inbox.awaitIds("unharmed");
    }

    private static void look(Transport transport, String queue) {
        try (BrowsedQueue browsed = transport.browse(queue)) {
            browsed.next();
        }
    }

    private static Topology withOtherArguments(Topology topology) {
        List<Queue> queues = topology.queues().stream()
                .map(queue -> {
                    Map<String, Object> arguments = new HashMap<>(queue.arguments());
                    arguments.put("x-max-length", 1_000_000);
                    return new Queue(queue.name(), arguments);
                })
                .toList();
        return new Topology(topology.node(), topology.options(), topology.exchanges(), queues, topology.bindings());
    }
}
