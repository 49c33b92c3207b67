// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.test.broker.RabbitNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A broker for the tests of a class, which freeze it or give it an alarm: started by the first, well again for the next one. */
final class NodeOfClass implements AfterEachCallback, AfterAllCallback {

    private @Nullable RabbitNode node;
    private boolean alarmed;

    RabbitNode get() {
        assumeTrue(RabbitNode.installedRoot().isPresent(), "Needs an installed RabbitMQ server of its own");
        RabbitNode started = node;
        if (started == null) {
            started = RabbitNode.start();
            node = started;
        }
        return started;
    }

    void memoryAlarm(boolean on) {
        get().memoryAlarm(on);
        alarmed = on;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (node != null) {
            node.resume();
        }
        if (alarmed) {
            memoryAlarm(false);
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (node != null) {
            node.close();
        }
    }
}
