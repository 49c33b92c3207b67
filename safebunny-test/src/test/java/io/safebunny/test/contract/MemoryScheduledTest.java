// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MemoryScheduledTest extends ScheduledContract {

    private final SystemTimeline ofStores = new SystemTimeline("memory-scheduled-test");
    private final Map<String, MessageStore> stores = new ConcurrentHashMap<>();

    @Override
    protected MessageStore store(String ofNode) {
        return stores.computeIfAbsent(ofNode, node -> new MemoryMessageStore(ofStores, Duration.ofDays(7)));
    }

    @AfterEach
    void close() {
        ofStores.close();
    }
}
