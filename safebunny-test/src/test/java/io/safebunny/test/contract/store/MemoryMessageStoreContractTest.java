// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import java.time.Duration;

class MemoryMessageStoreContractTest extends MessageStoreContract {

    final VirtualTimeline timeline = new VirtualTimeline();
    private final MessageStore store = new MemoryMessageStore(timeline, new Retention(retention(), poisonRetention()));

    @Override
    protected MessageStore store() {
        return store;
    }

    /** Memory is not shared between instances: this one is asked twice. */
    @Override
    protected MessageStore anotherInstance() {
        return store;
    }

    @Override
    protected MessageStore otherNode() {
        return new MemoryMessageStore(timeline, new Retention(retention(), poisonRetention()));
    }

    @Override
    protected Duration retention() {
        return Duration.ofDays(7);
    }

    @Override
    protected boolean age(Duration duration) {
        timeline.advance(duration);
        return true;
    }
}
