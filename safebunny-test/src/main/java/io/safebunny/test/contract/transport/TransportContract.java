// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of every {@link Transport}. Extend it, create yours, and run it against the real broker. Each test uses its own node and
 * queue names, so suites can share a broker and run concurrently.
 *
 * <p>For each rule a broken transport exists that fails exactly that rule.
 */
@Timeout(120)
public abstract class TransportContract
        implements RoutingRules,
                FidelityRules,
                TopologyRules,
                SettlementRules,
                FlowRules,
                PaceRules,
                OrderRules,
                OrderTakeoverRules,
                DelayRules,
                ControlRules {

    private final TransportBench bench = new TransportBench(this);

    /** A new transport of this node, not started; the suite closes it. Called for several instances of one node. */
    protected abstract Transport newTransport(String node);

    /** Options of all topologies, also used by the transports; must return the same value each time. */
    protected abstract TopologyOptions topologyOptions();

    /**
     * Called after each test, when its transports are closed, with the queues that it has declared. Delete them if the broker is shared.
     */
    protected void cleanUp(Set<String> queues) {}

    /** Whether {@link Transport#control} reaches other instances; by default it must. */
    protected boolean connectsInstances() {
        return true;
    }

    /** How long the rules wait for something that must happen. */
    protected Duration patience() {
        return Duration.ofSeconds(15);
    }

    /** The bench of the test; used only by the rules. */
    @Override
    public final TransportBench bench() {
        return bench;
    }

    @AfterEach
    final void closeBench() {
        bench.close();
    }
}
