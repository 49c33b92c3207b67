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
class MemorySagaTest extends SagaContract {

    private final SystemTimeline timeline = new SystemTimeline("memory-saga-test");
    private final Map<String, MessageStore> stores = new ConcurrentHashMap<>();

    @Override
    protected MessageStore store(String ofNode) {
        return stores.computeIfAbsent(ofNode, node -> new MemoryMessageStore(timeline, Duration.ofDays(7)));
    }

    @Override
    protected int mostRuns(int messages) {
        return 2 * messages;
    }

    @AfterEach
    void close() {
        timeline.close();
    }
}
