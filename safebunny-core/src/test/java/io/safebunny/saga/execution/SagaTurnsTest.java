// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many messages of one saga, on real threads and in a time that stands still, so that nobody's patience ends. */
class SagaTurnsTest {

    private static final String BUSY = "busy";
    private static final int PREFETCH = 10;
    private static final int MANY = 30;

    record Begin(int sum) {}

    record Add(int amount) {}

    record State(int sum) {}

    @BunnySaga
    static final class Sum {
        final CountDownLatch gate = new CountDownLatch(1);

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin) {
            return new State(begin.sum());
        }

        @BunnyHandler(from = "desk")
        State on(Add add, State state, MessageContext context) throws InterruptedException {
            if (context.correlationId().equals(BUSY)) {
                assertThat(gate.await(2, TimeUnit.MINUTES)).isTrue();
            }
            return new State(state.sum() + add.amount());
        }
    }

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final Sum saga = new Sum();
    private final SafeBunnyEngine desk = engine("desk", null);
    private final SafeBunnyEngine sums = engine("sums", new MemoryMessageStore(timeline, Duration.ofDays(7)));

    private SafeBunnyEngine engine(String node, @Nullable MessageStore store) {
        return new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .store(store)
                .callbacks(threads)
                .build());
    }

    @BeforeEach
    void start() {
        desk.start(List.of(), List.of());
        sums.start(List.of(), SagaWorld.definitions(saga));
        begin(BUSY);
    }

    @AfterEach
    void stop() {
        saga.gate.countDown();
        sums.stop(Duration.ofSeconds(5));
        desk.stop(Duration.ofSeconds(5));
        threads.shutdownNow();
    }

    private void send(String id, Object message) {
        var unused = desk.bunny().publish(message, PublishOptions.none().withCorrelationId(id));
    }

    private void begin(String id) {
        send(id, new Begin(0));
        await().until(() -> !sums.get(Sagas.class).find(id).isEmpty());
    }

    private String state(String id) {
        return sums.get(Sagas.class).find(id).get(0).state();
    }

    /** They would wait for as long as the busy saga does, if all places of the queue were taken by those that wait for their turn. */
    @Test
    void othersAreHandledMeanwhile() {
        for (int i = 0; i < MANY; i++) {
            send(BUSY, new Add(1));
        }
        for (int i = 0; i < PREFETCH; i++) {
            begin("other-" + i);
            send("other-" + i, new Add(1));
        }

        for (int i = 0; i < PREFETCH; i++) {
            String id = "other-" + i;
            await().untilAsserted(() -> assertThat(state(id)).isEqualTo("{\"sum\":1}"));
        }
        assertThat(state(BUSY)).isEqualTo("{\"sum\":0}");
    }

    @Test
    void halfOfThePlacesWaitAndTheRestComesBackLater() {
        for (int i = 0; i < MANY; i++) {
            send(BUSY, new Add(1));
        }
        begin("other");
        send("other", new Add(1)); // behind all of them
        await().untilAsserted(() -> assertThat(state("other")).isEqualTo("{\"sum\":1}"));

        saga.gate.countDown();
        int atOnce = 1 + PREFETCH / 2;
        await().untilAsserted(() -> assertThat(state(BUSY)).isEqualTo("{\"sum\":%s}".formatted(atOnce)));
        assertThat(broker.messages("sums-Add")).isEmpty();
        await().during(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(state(BUSY)).isEqualTo("{\"sum\":%s}".formatted(atOnce)));

        await().untilAsserted(() -> {
            timeline.advance(Duration.ofMillis(200));
            assertThat(state(BUSY)).isEqualTo("{\"sum\":%s}".formatted(MANY));
        });
        assertThat(broker.messages("sums-poison")).isEmpty();
    }
}
