// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The broker loses the messages of timeouts: somebody has emptied the queues in which they wait. */
@Timeout(120)
class PurgedLadderIT {

    /** As many as are swept and run in much less than half a lease, also on a busy machine: only then is the bound two leases. */
    private static final int SAGAS = 100;

    private static final Duration LEASE = Duration.ofSeconds(4);

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String[] TYPES = {
        "Wait",
        "poison",
        "dead-letters",
        "poison-watch",
        "BunnyTimeout",
        "BunnyUndone",
        "BunnyPoisoned",
        "BunnyRepair",
        "BunnyScheduled"
    };

    record Wait(String id, long due) {}

    @BunnySaga
    static final class Patience {

        record State(String id) {}

        final Map<String, List<Instant>> runs = new ConcurrentHashMap<>();

        @Starts
        @BunnyHandler(from = "it-hall")
        State on(Wait wait, SagaContext saga) {
            saga.timeoutAt("over", Instant.ofEpochMilli(wait.due()));
            return new State(wait.id());
        }

        @OnTimeout("over")
        void over(State state, SagaContext saga) {
            runs.computeIfAbsent(state.id(), id -> new CopyOnWriteArrayList<>()).add(Instant.now());
            saga.complete();
        }
    }

    private final OwnLadder ladder = new OwnLadder(TestBroker.shared(), "it-purged");
    private final SystemTimeline timeline = new SystemTimeline("purged-ladder");
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final Patience saga = new Patience();

    @AfterEach
    void end() {
        ladder.remove("it-waits", TYPES);
        ladder.remove("it-hall", TYPES);
        timeline.close();
    }

    @Test
    void timeoutsRunOnceNotEarlyAndAtMostTwoLeasesLate() {
        try (NodeUnderTest unused =
                        NodeUnderTest.startWaiting(ladder.node("it-waits", true), ladder.prefix(), store, LEASE, saga);
                NodeUnderTest hall = ladder.publisher("it-hall")) {
            Instant due = Instant.ofEpochMilli(Instant.now().toEpochMilli() + 6_000);
            CompletableFuture<?>[] begun = IntStream.range(0, SAGAS)
                    .mapToObj(i -> hall.bunny()
                            .publishAsync(
                                    new Wait("w" + i, due.toEpochMilli()),
                                    PublishOptions.none().withCorrelationId("w" + i)))
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(begun).join();
            int[] lost = {0};
            await().atMost(SOON).until(() -> (lost[0] += ladder.empty(false)) == SAGAS);
            lost[0] += ladder.empty(true);
            assertThat(Instant.now()).as("all are lost before they are due").isBefore(due);

            await().atMost(SOON).until(() -> store.countListed("Patience", SagaStatus.COMPLETED.name()) == SAGAS);
            await().atMost(SOON).until(() -> Instant.now().isAfter(due.plus(LEASE.multipliedBy(2))));

            assertThat(lost[0]).isEqualTo(SAGAS);
            assertThat(saga.runs).hasSize(SAGAS);
            assertThat(saga.runs).allSatisfy((id, runs) -> assertThat(runs)
                    .as(id)
                    .singleElement()
                    .satisfies(run -> assertThat(run).isBetween(due, due.plus(LEASE.multipliedBy(2)))));
        }
    }
}
