// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Transport;
import java.util.List;

/** A {@link MemoryBroker} in virtual time. Thread-safe. */
public final class BrokerInMemory implements HarnessBroker {

    private final MemoryBroker broker;
    private final SimulatedProcess process;

    public BrokerInMemory(MemoryBroker broker, SimulatedProcess process) {
        this.broker = broker;
        this.process = process;
    }

    @Override
    public Transport connect(String node, TopologyOptions options) {
        return new MemoryTransport(broker, options, process::begin);
    }

    @Override
    public void acceptUnheard(TopologyOptions options, String routingKey) {
        new UnheardMessages(new MemoryTransport(broker, options), options).bind(routingKey);
    }

    @Override
    public List<IncomingMessage> unsettled() {
        return broker.unsettled();
    }

    @Override
    public void forgetWaiting() {
        broker.clear();
    }

    @Override
    public void forgetRest() {
        broker.clear();
    }

    @Override
    public void close() {} // nothing to close
}
