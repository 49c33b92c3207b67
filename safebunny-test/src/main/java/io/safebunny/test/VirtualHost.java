// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.test.broker.BrokerUnavailableException;
import io.safebunny.test.broker.TestBroker;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an application context has of a broker for itself, until it is closed.
 *
 * @param broker seen through it
 */
record VirtualHost(TestBroker broker) implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(VirtualHost.class);
    private static final String PREFIX = "safebunny-test-";

    /** On the broker that all tests of this virtual machine share. */
    static VirtualHost create() {
        return new VirtualHost(TestBroker.shared().createVirtualHost(PREFIX + UUID.randomUUID()));
    }

    /** When this virtual machine ends, its broker may be gone before. */
    @Override
    public void close() {
        try {
            broker.deleteVirtualHost(broker.virtualHost());
        } catch (BrokerUnavailableException e) {
            LOG.debug("Virtual host {} is left to the end of its broker", broker.virtualHost(), e);
        }
    }
}
