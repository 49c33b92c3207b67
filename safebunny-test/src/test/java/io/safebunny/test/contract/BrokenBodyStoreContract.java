// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.bodies.BodyStore;
import io.safebunny.test.bodies.MemoryBodyStore;
import io.safebunny.test.contract.bites.Fault;
import io.safebunny.time.Timeline;

/** The contract with a body store that has the current fault. */
class BrokenBodyStoreContract extends BodyStoreContract {

    @Override
    protected BodyStore store(Timeline timeline) {
        return Fault.<BrokenBodyStoreContract, BodyStore>current()
                .in(this, BodyStore.class)
                .apply(new MemoryBodyStore(timeline));
    }
}
