// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.bodies.BodyStore;
import io.safebunny.test.bodies.MemoryBodyStore;
import io.safebunny.time.Timeline;

class MemoryBodyStoreContractTest extends BodyStoreContract {

    @Override
    protected BodyStore store(Timeline timeline) {
        return new MemoryBodyStore(timeline);
    }
}
