// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.test.broker.BrokerUnavailableException;
import io.safebunny.test.broker.TestBroker;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an application context has of a broker for itself, until it is closed: a virtual host, or where none can be made, names with a
 * prefix.
 *
 * @param broker seen through the virtual host
 * @param prefix of its exchanges and queues; empty in a virtual host of its own
 */
record BrokerRoom(TestBroker broker, String prefix) implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerRoom.class);

    /** Where the last part of a UUID begins, 48 random bits. */
    private static final int UNIQUE = 24;

    /** On the broker that all tests of this virtual machine share. */
    static BrokerRoom create() {
        TestBroker shared = TestBroker.shared();
        String name =
                "safebunny-test-" + UUID.randomUUID().toString().substring(UNIQUE); // names of exchanges are short
        return shared.isPrivate()
                ? new BrokerRoom(shared.createVirtualHost(name), "")
                : new BrokerRoom(shared, name + '.');
    }

    boolean isVirtualHost() {
        return prefix.isEmpty();
    }

    /** When this virtual machine ends, its broker may be gone before. */
    @Override
    public void close() {
        if (!isVirtualHost()) {
            return; // its node has deleted what it had
        }
        try {
            broker.deleteVirtualHost(broker.virtualHost());
        } catch (BrokerUnavailableException e) {
            LOG.debug("Virtual host {} is left to the end of its broker", broker.virtualHost(), e);
        }
    }
}
