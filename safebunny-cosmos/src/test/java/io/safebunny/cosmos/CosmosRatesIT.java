// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.azure.cosmos.CosmosAsyncContainer;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.rate.HandlingRate;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two instances of a node take turns at the schedule of a rate, by the ETag of its document. */
@Tag("once")
@Timeout(120)
class CosmosRatesIT {

    private static final int MESSAGES = 50;
    private static final Duration WINDOW = Duration.ofSeconds(5);

    record MailRequested(int number) {}

    private final SystemTimeline timeline = new SystemTimeline("rate-test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final CosmosAsyncContainer container = CosmosAccount.newContainer();
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final ConcurrentLinkedQueue<Long> begun = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stop() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
        container.delete().block();
    }

    @Test
    void bothTogetherKeepIt() {
        for (int instance = 0; instance < 2; instance++) {
            start(
                    "mailer",
                    CosmosAccount.store(container),
                    List.of(new HandlerDefinition(
                                    "mailer.on(MailRequested)",
                                    "MailRequested",
                                    MailRequested.class,
                                    List.of("desk"),
                                    5,
                                    RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                                    (payload, context) -> begun.add(timeline.nanoTime()))
                            .limited(new HandlingRate(MESSAGES, WINDOW))));
        }
        SafeBunnyEngine desk = start("desk", null, List.of());
        for (int number = 0; number < 3 * MESSAGES; number++) {
            Published unused = desk.bunny().publish(new MailRequested(number));
        }

        await().atMost(Duration.ofSeconds(30)).until(() -> begun.size() >= 2 * MESSAGES);

        List<Long> times = begun.stream().sorted().toList();
        for (int first = 0; first + MESSAGES < 2 * MESSAGES; first++) {
            long took = times.get(first + MESSAGES) - times.get(first);
            assertThat(took)
                    .as("time of %s and the next one, from %s", MESSAGES, first)
                    .isGreaterThanOrEqualTo(WINDOW.toNanos() * 95 / 100);
        }
    }

    private SafeBunnyEngine start(String node, @Nullable MessageStore store, List<HandlerDefinition> handlers) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .store(store)
                .callbacks(threads)
                .build());
        engines.add(engine);
        engine.start(handlers);
        return engine;
    }
}
