// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** On the memory transport. */
class BoundBodiesTest extends BoundBodiesRules {

    @Override
    ApplicationContextRunner runner() {
        return Nodes.memory().withPropertyValues("test.node=shop", "safebunny.store.type=memory");
    }
}
