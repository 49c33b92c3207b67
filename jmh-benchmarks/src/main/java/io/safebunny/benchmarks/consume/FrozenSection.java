// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Plan;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** What one frozen place of five does to the others (the thesis, figure 6.4). Only in full runs. */
public final class FrozenSection implements Section {

    private static final String LISTENER = "@RabbitListener, one message per thread";
    private static final String AHEAD = "@RabbitListener, ten messages per thread";
    private static final String SAFEBUNNY = "SafeBunny";
    private static final String NONE = "SafeBunny, none frozen";

    private static final int PLACES = 5;
    private static final int PREFETCH = 10;

    /** More than five places can handle while one is frozen. */
    private static final int BACKLOG = 2_000;

    private static final int PER_SECOND = 200;
    private static final int SECONDS = 6;
    private static final long BEFORE = TimeUnit.SECONDS.toNanos(2);

    private final BenchBroker broker;
    private final Effort effort;
    private final Places places;

    public FrozenSection(BenchBroker broker, Effort effort) {
        this.broker = broker;
        this.effort = effort;
        this.places = new Places(broker);
    }

    @Override
    public List<Contest> contests() {
        if (effort.share() < 1) {
            return List.of();
        }
        String conditions = "%s messages of one queue handled at once, each for %s ms; one handler takes %s ms"
                .formatted(PLACES, Freeze.WORK_MILLIS, Freeze.MILLIS);
        return List.of(
                new Contest(
                                "One place of five frozen",
                                conditions + ", with a backlog; the others' throughput meanwhile",
                                contenders(this::throughput),
                                List.of(
                                        new Ratio("frozenVsNone", SAFEBUNNY, NONE, 0),
                                        new Ratio("frozenVsListener", SAFEBUNNY, LISTENER, 0)))
                        .with(Plan.WARM_ROUNDS),
                new Contest(
                                "One place of five frozen, at %s messages per second".formatted(PER_SECOND),
                                conditions
                                        + ", from %s ms after the first is due; latency of the others that are due meanwhile; the plot has all but the frozen one"
                                                .formatted(TimeUnit.NANOSECONDS.toMillis(BEFORE)),
                                contenders(this::latency),
                                List.of())
                        .with(Plan.WARM_ROUNDS));
    }

    @FunctionalInterface
    private interface Run {
        Figures of(Places.Opening opening, boolean freezes) throws Exception;
    }

    private List<Contender> contenders(Run run) {
        return List.of(
                new Contender(NONE, () -> run.of(places.safeBunny(PLACES), false)),
                new Contender(SAFEBUNNY, () -> run.of(places.safeBunny(PLACES), true)),
                new Contender(LISTENER, () -> run.of(places.listeners(PLACES, 1), true)),
                new Contender(AHEAD, () -> run.of(places.listeners(PLACES, PREFETCH), true)));
    }

    private Figures throughput(Places.Opening opening, boolean freezes) throws Exception {
        broker.fill(places.queue(), BACKLOG);
        Freeze freeze = new Freeze(0, freezes, System.nanoTime(), BACKLOG);
        try (AutoCloseable unused = opening.open(freeze)) {
            freeze.awaitBegin();
            long begin = System.nanoTime();
            TimeUnit.MILLISECONDS.sleep(Freeze.MILLIS);
            return Figures.perSecond(freeze.others().ended(), System.nanoTime() - begin);
        }
    }

    private Figures latency(Places.Opening opening, boolean freezes) throws Exception {
        int messages = PER_SECOND * SECONDS;
        AtomicReference<Freeze> current = new AtomicReference<>();
        broker.purge(places.queue());
        try (AutoCloseable unused =
                opening.open(ping -> Objects.requireNonNull(current.get()).handle(ping))) {
            long begin = System.nanoTime();
            Freeze freeze = new Freeze(begin + BEFORE, freezes, begin, messages);
            current.set(freeze);
            broker.send(places.queue(), begin, PER_SECOND, messages);
            freeze.awaitEnd();
            return new Figures(Figures.of(freeze.during()), freeze.others().list());
        }
    }

    @Override
    public void close() {
        // each round closes what it has opened
    }
}
