// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.test.leaks.LeakCheck;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class MemoryTransportContractTest extends TransportContract {

    private final SystemTimeline timeline = new SystemTimeline("memory-broker");
    private final ExecutorService deliveries = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, deliveries);

    @Override
    protected Transport newTransport(String node) {
        return new MemoryTransport(broker, topologyOptions());
    }

    @Override
    protected TopologyOptions topologyOptions() {
        return TopologyOptions.defaults();
    }

    @Override
    protected void cleanUp(Set<String> queues) {
        timeline.close();
        deliveries.shutdownNow();
    }
}
