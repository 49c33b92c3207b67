// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.rabbit.soak.Fault.Victim;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Every two seconds one random fault whose victim is whole. */
final class FaultSchedule {

    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final Duration HEALED = Duration.ofSeconds(150);

    private final Faults faults;
    private final Random random;
    private final Timeline timeline;
    private final Report report;
    private final ExecutorService strikes = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "fault");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Victim> broken = Collections.synchronizedSet(EnumSet.noneOf(Victim.class));
    private final Map<Fault, Integer> counts = Collections.synchronizedMap(new EnumMap<>(Fault.class));

    FaultSchedule(Faults faults, long seed, Timeline timeline, Report report) {
        this.faults = faults;
        this.random = new Random(seed);
        this.timeline = timeline;
        this.report = report;
    }

    /** Strikes for so long. */
    void run(Duration duration) throws InterruptedException {
        long end = timeline.nanoTime() + duration.toNanos();
        timeline.sleep(INTERVAL);
        while (timeline.nanoTime() - end < 0) {
            strikeOne();
            timeline.sleep(INTERVAL);
        }
    }

    /** @return whether everything is whole again, as it should be after some time */
    boolean awaitHealed() throws InterruptedException {
        strikes.shutdown();
        return strikes.awaitTermination(HEALED.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** By kind, how many did what they should. */
    Map<String, Integer> counts() {
        Map<String, Integer> byName = new TreeMap<>();
        synchronized (counts) {
            counts.forEach((fault, count) -> byName.put(fault.toString(), count));
        }
        return byName;
    }

    Set<Victim> broken() {
        return Set.copyOf(broken);
    }

    private void strikeOne() {
        List<Fault> possible = Stream.of(Fault.values())
                .filter(faults::has)
                .filter(fault -> !broken.contains(fault.victim))
                .toList();
        // taken from the seed however many are possible
        int pick = random.nextInt(1 << 16);
        long seed = random.nextLong();
        if (!possible.isEmpty()) {
            Fault fault = possible.get(pick % possible.size());
            broken.add(fault.victim);
            strikes.execute(() -> strike(fault, new Random(seed)));
        }
    }

    private void strike(Fault fault, Random its) {
        report.note("fault " + fault);
        long start = timeline.nanoTime();
        try {
            faults.strike(fault, its);
            counts.merge(fault, 1, Integer::sum);
            report.note("over  %s after %d ms".formatted(fault, (timeline.nanoTime() - start) / 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            report.trouble("fault %s after %d ms: %s"
                    .formatted(fault, (timeline.nanoTime() - start) / 1_000_000, e.getMessage()));
        } finally {
            broken.remove(fault.victim);
        }
    }
}
