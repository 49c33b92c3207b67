// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.Topology.Queue;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.util.List;
import java.util.Map;

/** A queue for messages that nobody in the test consumes. Thread-safe. */
final class UnheardMessages {

    private static final String QUEUE = "safebunny-test-unheard";

    private final Transport transport;
    private final TopologyOptions options;

    /** @param transport not started yet; started by this object */
    UnheardMessages(Transport transport, TopologyOptions options) {
        this.transport = transport;
        this.options = options;
    }

    void bind(String routingKey) {
        transport.start(new Topology(
                "safebunny-test",
                options,
                List.of(),
                List.of(new Queue(QUEUE, Map.of())),
                List.of(new Binding(options.mainExchange(), QUEUE, routingKey))));
    }
}
