// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.rabbit.versions.Instance.Parcel;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** Whatever a later version adds to a message outlives its retries by an instance that does not know it. */
class NeighbouringVersionsTest {

    private static final int MESSAGES = 10_000;
    private static final String NODE = "post";

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final MemoryBroker broker = new MemoryBroker(timeline, tasks::addLast);
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final LaterVersion later = new LaterVersion(transport());

    private Transport transport() {
        return new MemoryTransport(broker, TopologyOptions.defaults());
    }

    private void runUntilIdle() {
        while (!broker.isIdle() || !tasks.isEmpty()) {
            Runnable task = tasks.poll();
            if (task != null) {
                task.run();
            } else {
                timeline.advance(Duration.ofMillis(20));
            }
        }
    }

    @Test
    void threeRetriesOfTenThousandMessagesLoseNothing() {
        try (Instance newer = new Instance(NODE, later, store, timeline, tasks::addLast);
                Instance older = new Instance(NODE, transport(), store, timeline, tasks::addLast)) {
            for (int i = 0; i < MESSAGES; i++) {
                newer.bunny().publish(new Parcel(i));
            }
            runUntilIdle();

            assertThat(newer.runs() + older.runs()).isEqualTo(MESSAGES * (1 + Instance.RETRIES));
            assertThat(older.runs()).as("share of the older one").isBetween(MESSAGES, 3 * MESSAGES);
            assertThat(later.deliveries()).isEqualTo(newer.runs());
            assertThat(later.losses()).isEmpty();
            assertThat(broker.depth(NODE + "-poison")).isEqualTo(MESSAGES / 10);

            Transport looking = transport();
            looking.consume(NODE + "-poison", 10, delivery -> {
                later.look(delivery.message());
                delivery.acknowledge();
            });
            runUntilIdle();
            assertThat(later.deliveries()).isEqualTo(newer.runs() + MESSAGES / 10);
            assertThat(later.losses()).as("of poison copies").isEmpty();
            looking.close();
            tasks.forEach(Runnable::run);
        }
    }
}
