// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One run on brokers that have started: traffic and faults for a time, then rest, then the judgement. */
final class Soak {

    private static final int CONSUMERS = 2;
    private static final int LOWEST_RUNG = 4;
    private static final int HIGHEST_RUNG = 13;
    private static final Duration PROGRESS = Duration.ofSeconds(5);

    /**
     * A broker looks every 3 min for what it dead-lettered and was not confirmed for 3 min, and delays are made of dead-lettering: what is
     * on its way when a broker dies may be 6 min late.
     */
    private static final Duration REST = Duration.ofMinutes(7);

    private static final Duration LOOK = Duration.ofMillis(500);
    private static final int SHOWN = 5;

    private final SoakOptions options;
    private final Brokers brokers;
    private final Timeline timeline;
    private final Report report;
    private final Ledger ledger = new Ledger();
    private final Watch watch;
    private final List<String> failures = new ArrayList<>();

    Soak(SoakOptions options, Brokers brokers, Timeline timeline, Report report) {
        this.options = options;
        this.brokers = brokers;
        this.timeline = timeline;
        this.report = report;
        this.watch = Watch.of(options.duration(), timeline, brokers::connections);
    }

    Result run() throws InterruptedException {
        try (NodeUnderTest once = NodeUnderTest.startWith(
                        Nodes.options(Nodes.DEDUPLICATING, brokers, 0),
                        bunny -> Nodes.handlers(Nodes.DEDUPLICATING, bunny, this::handledOnce));
                Consumers again = new Consumers(
                        CONSUMERS,
                        index -> Nodes.options(Nodes.FORGETFUL, brokers, index + 1),
                        options.logs(),
                        ledger.forgetful::add);
                NodeUnderTest node = NodeUnderTest.publisher(Nodes.options(Nodes.PUBLISHER, brokers, 2))) {
            Publisher publisher = new Publisher(node.bunny(), ledger, watch, timeline);
            publisher.publishDelayed(rungs());
            brokers.awaitRegistered();
            brokers.awaitMembers();
            Faults faults = new Faults(brokers, again, once.breaker(), timeline);
            FaultSchedule schedule = new FaultSchedule(faults, options.seed(), timeline, report);
            return soak(publisher, schedule, () -> "publisher: %s, with deduplication: %s"
                    .formatted(node.status(), once.status()));
        }
    }

    private void handledOnce(String id) {
        ledger.deduplicating.add(id);
        watch.handled(id);
    }

    /** One delay per rung that is used: a rung is declared when it is first needed, and must survive the death of its broker. */
    private static List<Duration> rungs() {
        return IntStream.rangeClosed(LOWEST_RUNG, HIGHEST_RUNG)
                .mapToObj(rung -> Duration.ofMillis(1L << rung))
                .toList();
    }

    private Result soak(Publisher publisher, FaultSchedule schedule, Supplier<String> status)
            throws InterruptedException {
        Thread progress = new Thread(() -> tellProgress(schedule, status), "progress");
        progress.setDaemon(true);
        progress.start();
        long start = timeline.nanoTime();
        watch.begin();
        publisher.start();
        schedule.run(options.duration());
        ledger.endPulses();
        report.progress("the time is over, healing");
        if (!schedule.awaitHealed()) {
            failures.add("not healed: " + schedule.broken());
        }
        brokers.healNetwork();
        long seconds = Duration.ofNanos(timeline.nanoTime() - start).toSeconds();
        if (!publisher.stop()) {
            failures.add("a publication did not end: " + status.get());
        }
        List<Interval> intervals = watch.intervals();
        long restStart = timeline.nanoTime();
        Map<String, Integer> queues = rest();
        long rest = Duration.ofNanos(timeline.nanoTime() - restStart).toSeconds();
        progress.interrupt();
        return judge(seconds, rest, schedule.counts(), queues, intervals);
    }

    private void tellProgress(FaultSchedule schedule, Supplier<String> status) {
        try {
            while (true) {
                timeline.sleep(PROGRESS);
                watch.look();
                report.progress(
                        "published %d, confirmed %d, failed %d, handled %d with and %d without deduplication, faults %s"
                                .formatted(
                                        ledger.published.get(),
                                        ledger.confirmedOrders(),
                                        ledger.failed.get(),
                                        ledger.deduplicating.count(),
                                        ledger.forgetful.count(),
                                        schedule.counts()));
                report.note("broken %s; %s".formatted(schedule.broken(), status.get()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until everything was handled and the queues are empty, or the patience is over. */
    private Map<String, Integer> rest() throws InterruptedException {
        long end = timeline.nanoTime() + REST.toNanos();
        while (timeline.nanoTime() - end < 0
                && !(ledger.missing(ledger.deduplicating).isEmpty()
                        && ledger.missing(ledger.forgetful).isEmpty())) {
            timeline.sleep(LOOK);
        }
        report.note(
                "missing %s and %s".formatted(ledger.missing(ledger.deduplicating), ledger.missing(ledger.forgetful)));
        Map<String, Integer> queues = brokers.messages(anyNode());
        while (timeline.nanoTime() - end < 0 && Queues.left(queues) > 0) {
            timeline.sleep(LOOK);
            queues = brokers.messages(anyNode());
        }
        return queues;
    }

    private RabbitNode anyNode() {
        return brokers.nodes().get(0);
    }

    private Result judge(
            long seconds,
            long rest,
            Map<String, Integer> faults,
            Map<String, Integer> queues,
            List<Interval> intervals) {
        int struck = faults.values().stream().mapToInt(Integer::intValue).sum();
        failures.addAll(Verdict.failures(ledger, seconds, struck, queues));
        failures.forEach(failure -> report.progress("FAILED: " + failure));
        List<String> lostWith = ledger.missing(ledger.deduplicating);
        List<String> lostWithout = ledger.missing(ledger.forgetful);
        explain(lostWith, ledger.deduplicating, "with deduplication");
        explain(lostWithout, ledger.forgetful, "without deduplication");
        Result.Share with = Result.Share.of(ledger.deduplicating, lostWith.size());
        Result.Share without = Result.Share.of(ledger.forgetful, lostWithout.size());
        String version = brokers.version();
        return new Result(
                failures.isEmpty(),
                version.replaceFirst("^(\\d+\\.\\d+).*", "$1"),
                version,
                brokers.nodes().size(),
                options.seed(),
                seconds,
                rest,
                ledger.published.get(),
                ledger.confirmedOrders(),
                ledger.failed.get(),
                with.handled() + without.handled(),
                with.lost() + without.lost(),
                with.handledTwice() + without.handledTwice(),
                Queues.poisoned(queues),
                Queues.left(queues),
                struck,
                faults,
                Result.seconds(ledger.confirms.longestSilence()),
                with,
                without,
                intervals);
    }

    private void explain(List<String> lost, HandledMessages node, String which) {
        Map<Boolean, List<String>> byKind = lost.stream().collect(Collectors.partitioningBy(Ledger::isOrder));
        byKind.values().stream()
                .flatMap(ids -> ids.subList(Math.max(0, ids.size() - SHOWN), ids.size()).stream())
                .forEach(id -> report.progress("lost " + which + ": " + ledger.explain(id, node)));
    }
}
