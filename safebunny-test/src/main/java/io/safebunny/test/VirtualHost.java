// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.test.broker.TestBroker;
import java.util.UUID;

/**
 * What an application context has of a broker for itself, until it is closed.
 *
 * @param broker seen through it
 */
record VirtualHost(TestBroker broker) implements AutoCloseable {

    private static final String PREFIX = "safebunny-test-";

    /** On the broker that all tests of this virtual machine share. */
    static VirtualHost create() {
        return new VirtualHost(TestBroker.shared().createVirtualHost(PREFIX + UUID.randomUUID()));
    }

    @Override
    public void close() {
        broker.deleteVirtualHost(broker.virtualHost());
    }
}
