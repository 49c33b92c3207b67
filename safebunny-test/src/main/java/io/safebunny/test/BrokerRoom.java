// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.test.broker.BrokerUnavailableException;
import io.safebunny.test.broker.TestBroker;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a broker reserved for one application context until it closes: a virtual host or, where none can be created, names with a
 * prefix.
 *
 * @param broker the broker, seen through that virtual host
 * @param prefix prefix of the context's exchanges and queues; empty if the context has its own virtual host
 */
record BrokerRoom(TestBroker broker, String prefix) implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerRoom.class);

    /** Offset of the last part of a UUID, which is 48 random bits. */
    private static final int UNIQUE = 24;

    /** Reserves a part of the broker that all tests of this JVM share. */
    static BrokerRoom create() {
        TestBroker shared = TestBroker.shared();
        String name =
                "safebunny-test-" + UUID.randomUUID().toString().substring(UNIQUE); // exchanges' names must be short
        return shared.isPrivate()
                ? new BrokerRoom(shared.createVirtualHost(name), "")
                : new BrokerRoom(shared, name + '.');
    }

    boolean isVirtualHost() {
        return prefix.isEmpty();
    }

    /** {@inheritDoc} Ignores failures: when the JVM exits, its broker may already be gone. */
    @Override
    public void close() {
        if (!isVirtualHost()) {
            return; // the node has deleted its own objects
        }
        try {
            broker.deleteVirtualHost(broker.virtualHost());
        } catch (BrokerUnavailableException e) {
            LOG.debug("Virtual host {} is left to the end of its broker", broker.virtualHost(), e);
        }
    }
}
