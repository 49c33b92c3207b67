// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Assumptions;

/** What tests of private nodes need. */
final class InstalledServer {

    private InstalledServer() {}

    /** Where a container or a given broker serves the other tests, there need not be a server to start; no broker at all fails. */
    static void assume() {
        if (RabbitNode.installedRoot().isEmpty()) {
            Assumptions.abort("no server is installed to start private nodes from, the tests use " + TestBroker.shared()
                    + "; bin/broker install 3.10 installs one");
        }
    }

    static Connection connect(TestBroker broker, String name) throws IOException, TimeoutException {
        return Amqp.factory(broker.uri()).newConnection(name);
    }
}
