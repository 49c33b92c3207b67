// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.test.contract.bites.Fault;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** The rules with a store that has the current fault. */
class BrokenScheduledContract extends ScheduledOperatorRules {

    private final SystemTimeline clock = new SystemTimeline("broken-scheduled-test");
    private final Map<String, MessageStore> stores = new ConcurrentHashMap<>();
    private final UnaryOperator<MessageStore> fault =
            Fault.<BrokenScheduledContract, MessageStore>current().in(this, MessageStore.class);

    @Override
    protected MessageStore store(String ofNode) {
        return stores.computeIfAbsent(ofNode, node -> fault.apply(new MemoryMessageStore(clock, Duration.ofDays(7))));
    }

    @AfterEach
    void close() {
        clock.close();
    }
}
