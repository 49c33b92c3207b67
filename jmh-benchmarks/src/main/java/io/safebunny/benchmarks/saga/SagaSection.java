// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.saga;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchNode;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Plan;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.memory.MemoryMessageStore;
import java.time.Duration;
import java.util.List;

/** Latency of sagas at a fixed rate, and their throughput. */
public final class SagaSection implements Section {

    private static final String RAW = "raw client, bytes passed on";
    private static final String HAND_WRITTEN = "Spring AMQP, written by hand";
    private static final String SAFEBUNNY = "SafeBunny";
    private static final String MEMORY = "SafeBunny, memory";

    private static final String CONDITIONS =
            "each saga is four messages of 1,227 bytes through three nodes and back, all in one process; quorum queues, confirms, ten messages at once per node";
    private static final Duration RETENTION = Duration.ofDays(7);
    private static final int PER_SECOND = 595;
    private static final int SECONDS = 10;

    private final BenchBroker broker;
    private final Effort effort;

    public SagaSection(BenchBroker broker, Effort effort) {
        this.broker = broker;
        this.effort = effort;
    }

    @Override
    public List<Contest> contests() {
        int many = effort.messages(5_000);
        return List.of(
                new Contest(
                        "Saga, throughput",
                        CONDITIONS + "; at most 200 sagas at once",
                        contenders(track -> Sagas.saturated(track, many)),
                        List.of(
                                new Ratio("sagaVsHandWritten", SAFEBUNNY, HAND_WRITTEN, 0),
                                new Ratio("sagaMemoryVsHandWritten", MEMORY, HAND_WRITTEN, 0),
                                new Ratio("sagaVsRaw", SAFEBUNNY, RAW, 0))),
                paced(PER_SECOND / Sagas.MESSAGES_PER_SAGA),
                paced(PER_SECOND));
    }

    private Contest paced(int perSecond) {
        int sagas = effort.messages(perSecond * SECONDS);
        return new Contest(
                        "Saga, latency at %s messages per second".formatted(perSecond * Sagas.MESSAGES_PER_SAGA),
                        CONDITIONS + "; %s sagas per second; goal: 99th percentile at most 5 ms".formatted(perSecond),
                        contenders(track -> Sagas.atRate(track, perSecond, sagas)),
                        List.of())
                .with(Plan.WARM_ROUNDS);
    }

    @FunctionalInterface
    private interface Run {
        Figures on(Track track) throws Exception;
    }

    private List<Contender> contenders(Run run) {
        return List.of(
                contender(RAW, () -> new RawTrack(broker), run),
                contender(HAND_WRITTEN, () -> new SpringTrack(broker), run),
                contender(SAFEBUNNY, () -> new SafeBunnyTrack(node -> BenchNode.withoutStore(broker, node)), run),
                contender(
                        MEMORY,
                        () -> new SafeBunnyTrack(node -> BenchNode.withStore(
                                broker, node, timeline -> new MemoryMessageStore(timeline, RETENTION))),
                        run));
    }

    @FunctionalInterface
    private interface Opening {
        Track open() throws Exception;
    }

    /** Opens its nodes for each round, so that nobody runs beside another's consumers. */
    private static Contender contender(String name, Opening opening, Run run) {
        return new Contender(name, () -> {
            try (Track track = opening.open()) {
                return run.on(track);
            }
        });
    }

    @Override
    public void close() {
        // each round closes its own nodes
    }
}
