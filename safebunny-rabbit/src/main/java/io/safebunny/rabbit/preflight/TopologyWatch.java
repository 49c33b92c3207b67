// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.operations.NodeCondition;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks in the background whether the broker still has what a node needs: at the start and every five minutes, and more often while
 * somebody {@link #lookedAt looks}; without a management API only once, against defaults. Each finding is logged once and kept for
 * {@link #seen}; none stops the node. Thread-safe.
 */
public final class TopologyWatch {

    static final Duration INTERVAL = Duration.ofMinutes(5);

    /** The shortest time between two checks while somebody looks. */
    static final Duration SHORTEST = Duration.ofSeconds(10);

    /** How much longer that time is for each queue, so that the management API gets a few calls per second on average. */
    private static final Duration PER_QUEUE = Duration.ofMillis(250);

    /** After so long without a check nobody knows how the broker is. */
    static final Duration OLD = INTERVAL.multipliedBy(3);

    private static final Logger LOG = LoggerFactory.getLogger(TopologyWatch.class);

    private final Look look;
    private final boolean asks;
    private final Timeline timeline;
    private final SerialTask looking;
    private volatile @Nullable Plan plan;
    private volatile @Nullable Seen seen;
    private volatile boolean isLooking;
    private volatile long endedAt;
    private volatile long listedAt;
    private volatile List<String> told = List.of();
    private volatile List<String> remarked = List.of();

    /**
     * The result of the last check.
     *
     * @param asOf when the check ended
     * @param complete if this check was refused: the last one that was not, if there was any; otherwise {@code null}
     */
    public record Seen(
            Instant asOf, TopologyReport report, @Nullable Seen complete) {

        /** The check whose marks say most: this one, or the last complete one if this one was refused. */
        public Seen best() {
            return complete == null ? this : complete;
        }

        /** What differs from the plan, each with what to do. */
        public List<String> findings() {
            return report.findings();
        }
    }

    private record Plan(Topology topology, List<HandlerDefinition> handlers) {}

    /** Compares the plan with the broker. */
    @FunctionalInterface
    interface Look {
        TopologyReport compare(Topology planned, List<HandlerDefinition> handlers, boolean isThorough)
                throws InterruptedException;
    }

    /** @param blocking runs the check on a thread that it may block */
    public TopologyWatch(Preflight preflight, Timeline timeline, Executor blocking) {
        this(preflight::compare, preflight.asks(), timeline, blocking);
    }

    TopologyWatch(Look look, boolean asks, Timeline timeline, Executor blocking) {
        this.look = look;
        this.asks = asks;
        this.timeline = timeline;
        this.looking = new SerialTask("checking the topology", this::look, blocking, timeline);
    }

    /** Call once, after the node declared its topology. */
    public void start(Topology topology, List<HandlerDefinition> handlers) {
        plan = new Plan(topology, List.copyOf(handlers));
        looking.request();
    }

    public void stop() {
        looking.stop();
    }

    /** Whether the findings come from the broker; otherwise they are based on the broker's defaults. */
    public boolean asks() {
        return asks;
    }

    /** {@code null} until the first check has ended. */
    public @Nullable Seen seen() {
        return seen;
    }

    /** The result of the last check, as health shows it. */
    public NodeCondition condition() {
        return condition(seen);
    }

    /** The same of a result of {@link #seen}. */
    public NodeCondition condition(@Nullable Seen last) {
        if (last == null) {
            return NodeCondition.topology(null, null, List.of(), List.of());
        }
        if (asks && timeline.now().isAfter(last.asOf().plus(OLD))) {
            return NodeCondition.topologyNotComparedSince(last.asOf());
        }
        TopologyReport report = last.report();
        return NodeCondition.topology(last.asOf(), report.refusal(), report.findings(), report.remarks());
    }

    /** Call when somebody looks at the result: checks again soon, unless the last check was a moment ago. Does not block. */
    public void lookedAt() {
        Plan looked = plan;
        if (!asks || looked == null || isLooking || seen == null) {
            return;
        }
        Duration pause =
                SHORTEST.plus(PER_QUEUE.multipliedBy(looked.topology().queues().size()));
        if (timeline.nanoTime() - endedAt >= pause.toNanos()) {
            looking.request();
        }
    }

    private void look() {
        Plan looked = plan;
        if (looked == null) {
            return;
        }
        isLooking = true;
        try {
            Seen before = seen;
            long now = timeline.nanoTime();
            boolean isThorough = before == null || now - listedAt >= INTERVAL.toNanos();
            TopologyReport report = look.compare(looked.topology(), looked.handlers(), isThorough);
            if (isThorough) {
                listedAt = now;
            }
            boolean isComplete = report.refusal() == null;
            tell(report, isComplete);
            seen = new Seen(timeline.now(), report, isComplete || before == null ? null : lastComplete(before));
        } catch (InterruptedException e) {
            // the node is stopping
            Thread.currentThread().interrupt();
        } finally {
            endedAt = timeline.nanoTime();
            isLooking = false;
            if (asks) {
                looking.requestAfter(INTERVAL);
            }
        }
    }

    private static @Nullable Seen lastComplete(Seen before) {
        return before.report().refusal() == null ? before : before.complete();
    }

    /** Nobody knows whether something is resolved that could not be looked at. */
    private void tell(TopologyReport report, boolean isComplete) {
        List<String> findings = report.findings();
        findings.stream().filter(finding -> !told.contains(finding)).forEach(finding -> LOG.warn("{}", finding));
        List<String> gone =
                told.stream().filter(finding -> !findings.contains(finding)).toList();
        if (isComplete) {
            gone.forEach(finding -> LOG.info("Resolved: {}", finding));
        }
        told = isComplete
                ? findings
                : Stream.concat(findings.stream(), gone.stream()).toList();
        List<String> remarks = report.remarks();
        remarks.stream().filter(remark -> !remarked.contains(remark)).forEach(remark -> LOG.info("{}", remark));
        remarked = isComplete
                ? remarks
                : Stream.concat(remarked.stream(), remarks.stream()).distinct().toList();
    }
}
