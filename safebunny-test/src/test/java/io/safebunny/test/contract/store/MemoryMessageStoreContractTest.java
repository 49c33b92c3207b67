// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

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

    @Test
    void aSearchWaitsForNobodyWhoWrites() {
        MessageRecord record = store.create(StoreBench.claim(StoreBench.key(), "first"));
        synchronized (store) { // as a writer does
            assertThat(bench().elsewhere(() -> store.findCorrelated(record.key().correlationId(), 10)))
                    .succeedsWithin(patience())
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .hasSize(1);
            assertThat(bench().elsewhere(
                                    () -> store.findCorrelationIds(record.key().messageId(), 10, patience())))
                    .succeedsWithin(patience())
                    .isEqualTo(List.of(record.key().correlationId()));
        }
    }
}
