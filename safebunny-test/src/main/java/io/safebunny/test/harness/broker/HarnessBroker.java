// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Transport;
import java.util.List;

/** The broker of a test, in memory or real. Thread-safe. */
public interface HarnessBroker extends AutoCloseable {

    /** A transport for a node. */
    Transport connect(String node, TopologyOptions options);

    /** Accepts publications with this routing key from now on, even if nobody consumes them. */
    void acceptUnheard(TopologyOptions options, String routingKey);

    /** Deliveries that are not settled. */
    List<IncomingMessage> unsettled();

    /** Discards the messages that are held only here. Messages that are delivered, or will be, still arrive. */
    void forgetWaiting();

    /** Discards everything that is left. Call while nothing is being handled. */
    void forgetRest();

    @Override
    void close();
}
