// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.test.contract.bites.Fault;
import java.time.Duration;

/** The contract with a store that has the current fault. */
class BrokenStoreContract extends MemoryMessageStoreContractTest {

    enum Where {
        ALL_INSTANCES,
        ONE_INSTANCE,
        OTHER_NODE
    }

    final MessageStore sound =
            LimitedStore.of(new MemoryMessageStore(timeline, new Retention(retention(), poisonRetention())));
    final MessageStore otherSound =
            LimitedStore.of(new MemoryMessageStore(timeline, new Retention(retention(), poisonRetention())));

    /** Who has the fault; the fault itself may choose. */
    Where where = Where.ALL_INSTANCES;

    private final MessageStore broken;

    BrokenStoreContract() {
        var fault = Fault.<BrokenStoreContract, MessageStore>current().in(this, MessageStore.class);
        broken = fault.apply(where == Where.OTHER_NODE ? otherSound : sound);
    }

    @Override
    protected MessageStore store() {
        return where == Where.OTHER_NODE ? sound : broken;
    }

    @Override
    protected MessageStore anotherInstance() {
        return where == Where.ALL_INSTANCES ? broken : sound;
    }

    @Override
    protected MessageStore otherNode() {
        return where == Where.OTHER_NODE ? broken : otherSound;
    }

    @Override
    protected long largestContent() {
        return LimitedStore.LIMIT;
    }

    @Override
    protected MessageRecord unstorable(MessageRecord record) {
        return LimitedStore.unstorable(record);
    }

    @Override
    protected Duration patience() {
        return Duration.ofSeconds(5);
    }
}
