// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.test.contract.transport.TransportContract;
import io.safebunny.test.leaks.LeakCheck;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.util.Set;
import org.junit.jupiter.api.extension.RegisterExtension;

class RabbitTransportContractIT extends TransportContract {

    @RegisterExtension
    static final LeakCheck LEAKS = RabbitBench.leaks();

    private final RabbitBench rabbit = new RabbitBench();

    @Override
    protected Transport newTransport(String node) {
        return rabbit.transport(node);
    }

    @Override
    protected TopologyOptions topologyOptions() {
        return TopologyOptions.defaults();
    }

    @Override
    protected void cleanUp(Set<String> queues) {
        rabbit.onBroker(channel -> {
            for (String queue : queues) {
                channel.queueDelete(queue);
            }
        });
        rabbit.close();
    }
}
