// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/**
 * What every {@link Transport} does. Extend it, say how to create one, and run it against the real broker: nodes and
 * queues have names of their own in each test, so suites can share a broker and run side by side.
 *
 * <p>Each rule is proved to bite by a broken transport that fails it and no other.
 */
@Timeout(120)
public abstract class TransportContract
        implements RoutingRules,
                FidelityRules,
                TopologyRules,
                SettlementRules,
                FlowRules,
                PaceRules,
                DelayRules,
                ControlRules {

    private final TransportBench bench = new TransportBench(this);

    /** A new transport of this node, not started; several instances of one node are asked for. The suite closes it. */
    protected abstract Transport newTransport(String node);

    /** The same value each time: options of all topologies, known to the transports too. */
    protected abstract TopologyOptions topologyOptions();

    /** Called after each test, its transports closed, with the queues it declared: delete them on a shared broker. */
    protected void cleanUp(Set<String> queues) {}

    /** Whether {@link Transport#control} reaches other instances. By default it must. */
    protected boolean connectsInstances() {
        return true;
    }

    /** How long to wait for what must happen. */
    protected Duration patience() {
        return Duration.ofSeconds(15);
    }

    /** For the rules only. */
    @Override
    public final TransportBench bench() {
        return bench;
    }

    @AfterEach
    final void closeBench() {
        bench.close();
    }
}
