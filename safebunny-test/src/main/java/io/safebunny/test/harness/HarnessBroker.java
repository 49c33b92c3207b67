// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Transport;
import java.util.List;

/** The broker of a {@link VirtualNode}, in memory or real. Thread-safe. */
interface HarnessBroker extends AutoCloseable {

    /** How a node gets to it. */
    Transport connect(String node, TopologyOptions options);

    /** From now on a publication with this routing key is accepted, even if nobody consumes it. */
    void acceptUnheard(TopologyOptions options, String routingKey);

    /** What was delivered and is not settled. */
    List<IncomingMessage> unsettled();

    /** Forgets messages that are nowhere but here. What it has delivered, or will, still comes. */
    void forgetWaiting();

    /** Forgets all that is left, now that nothing is being handled. */
    void forgetRest();

    @Override
    void close();
}
