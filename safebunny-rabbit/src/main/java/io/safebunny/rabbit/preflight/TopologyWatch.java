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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks in the background whether the broker still has what a node needs: at the start and every five minutes; without a management API
 * only once, against defaults. Each finding is logged once and kept for {@link #seen}; none stops the node. Thread-safe.
 */
public final class TopologyWatch {

    static final Duration INTERVAL = Duration.ofMinutes(5);

    private static final Logger LOG = LoggerFactory.getLogger(TopologyWatch.class);

    private final Look look;
    private final boolean asks;
    private final Timeline timeline;
    private final SerialTask looking;
    private volatile @Nullable Plan plan;
    private volatile @Nullable Seen seen;

    /**
     * The result of the last check.
     *
     * @param asOf when the check ended
     * @param findings what differs from the plan, each with what to do
     */
    public record Seen(Instant asOf, List<String> findings) {

        public Seen {
            findings = List.copyOf(findings);
        }
    }

    private record Plan(Topology topology, List<HandlerDefinition> handlers) {}

    /** Compares the plan with the broker. */
    @FunctionalInterface
    interface Look {
        List<String> findings(Topology planned, List<HandlerDefinition> handlers) throws InterruptedException;
    }

    /** @param blocking runs the check on a thread that it may block */
    public TopologyWatch(Preflight preflight, Timeline timeline, Executor blocking) {
        this(preflight::findings, preflight.asks(), timeline, blocking);
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
        Seen last = seen;
        return NodeCondition.topology(last == null ? null : last.asOf(), last == null ? List.of() : last.findings());
    }

    private void look() {
        Plan looked = plan;
        if (looked == null) {
            return;
        }
        try {
            List<String> findings = look.findings(looked.topology(), looked.handlers());
            Seen before = seen;
            List<String> known = before == null ? List.of() : before.findings();
            findings.stream().filter(finding -> !known.contains(finding)).forEach(finding -> LOG.warn("{}", finding));
            known.stream()
                    .filter(finding -> !findings.contains(finding))
                    .forEach(finding -> LOG.info("Resolved: {}", finding));
            seen = new Seen(timeline.now(), findings);
        } catch (InterruptedException e) {
            // the node is stopping
            Thread.currentThread().interrupt();
        } finally {
            if (asks) {
                looking.requestAfter(INTERVAL);
            }
        }
    }
}
