// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.message;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Queue;
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
