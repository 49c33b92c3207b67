// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopologyWatchTest {

    private static final String MISSING = "Queue 'a' is not bound";

    private final Topology topology = TopologyPlanner.plan("shop", List.of(), List.of(), TopologyOptions.defaults());
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private List<String> broker = List.of();
    private boolean failing;
    private int looks;
    private final TopologyWatch watch = new TopologyWatch(this::look, true, timeline, Runnable::run);

    private @Nullable String refusal;
    private int thoroughLooks;

    private TopologyReport look(Topology unused, List<HandlerDefinition> alsoUnused, boolean isThorough) {
        looks++;
        thoroughLooks += isThorough ? 1 : 0;
        if (failing) {
            throw new IllegalStateException("a defect");
        }
        return report(broker, refusal);
    }

    private static TopologyReport report(List<String> findings, @Nullable String refusal) {
        return new TopologyReport(
                findings.stream()
                        .map(finding -> Judgement.of(Mark.DIFFERENT, finding))
                        .toList(),
                refusal,
                Map.of(),
                Map.of(),
                Map.of());
    }

    private static TopologyWatch.Seen seenAt(Instant asOf, String... findings) {
        return new TopologyWatch.Seen(asOf, report(List.of(findings), null), null);
    }

    @Test
    void seesWhatChangesAfterTheStartAndWhatIsMended() {
        assertThat(watch.seen()).isNull();
        watch.start(topology, List.of());
        Instant first = timeline.now();
        assertThat(watch.seen()).isEqualTo(seenAt(first));

        broker = List.of(MISSING);
        timeline.advance(TopologyWatch.INTERVAL);
        assertThat(watch.seen()).isEqualTo(seenAt(first.plus(TopologyWatch.INTERVAL), MISSING));

        broker = List.of();
        timeline.advance(TopologyWatch.INTERVAL);
        assertThat(watch.seen()).extracting(TopologyWatch.Seen::findings, LIST).isEmpty();
    }

    @Test
    void looksNoMoreAfterTheStop() {
        watch.start(topology, List.of());
        watch.stop();
        broker = List.of(MISSING);
        timeline.advance(TopologyWatch.INTERVAL.multipliedBy(3));

        assertThat(watch.seen()).extracting(TopologyWatch.Seen::findings, LIST).isEmpty();
    }

    @Test
    void aLookThatFailsIsNotTheLast() {
        failing = true;
        watch.start(topology, List.of());
        assertThat(watch.seen()).isNull();

        failing = false;
        timeline.advance(TopologyWatch.INTERVAL);

        assertThat(watch.seen()).isNotNull();
    }

    /** What it says without the API cannot change. */
    @Test
    void looksOnceWhenThereIsNobodyToAsk() {
        TopologyWatch once = new TopologyWatch(this::look, false, timeline, Runnable::run);
        broker = List.of(MISSING);
        once.start(topology, List.of());
        broker = List.of();
        timeline.advance(TopologyWatch.INTERVAL.multipliedBy(3));

        assertThat(once.seen()).extracting(TopologyWatch.Seen::findings, LIST).containsExactly(MISSING);
    }

    /** However often somebody looks. */
    @Test
    void looksAgainForWhoeverLooksButNotAtOnce() {
        watch.lookedAt();
        assertThat(looks).as("before the start").isZero();
        watch.start(topology, List.of());
        for (int i = 0; i < 9; i++) {
            timeline.advance(Duration.ofSeconds(1));
            watch.lookedAt();
        }
        assertThat(looks).isEqualTo(1);

        broker = List.of(MISSING);
        timeline.advance(TopologyWatch.SHORTEST);
        watch.lookedAt();
        watch.lookedAt();

        assertThat(looks).isEqualTo(2);
        assertThat(thoroughLooks).as("what costs the broker more").isEqualTo(1);
        assertThat(watch.seen()).extracting(TopologyWatch.Seen::findings, LIST).containsExactly(MISSING);
    }

    /** The management API has other users. */
    @Test
    void looksLessOftenTheMoreQueuesThereAre() {
        List<Subscription> many = IntStream.range(0, 500)
                .mapToObj(i -> new Subscription("Type" + i, List.of("desk")))
                .toList();
        watch.start(TopologyPlanner.plan("shop", many, TopologyOptions.defaults()), List.of());
        timeline.advance(Duration.ofMinutes(2));
        watch.lookedAt();

        assertThat(looks).isEqualTo(1);
    }

    @Test
    void doesNotLookAgainBecauseTheLastLookHasFailed() {
        watch.start(topology, List.of());
        failing = true;
        timeline.advance(TopologyWatch.INTERVAL);
        watch.lookedAt();

        assertThat(looks).isEqualTo(2);
    }

    @Test
    void neverLooksAgainWhenThereIsNobodyToAsk() {
        TopologyWatch once = new TopologyWatch(this::look, false, timeline, Runnable::run);
        once.start(topology, List.of());
        timeline.advance(TopologyWatch.INTERVAL);
        once.lookedAt();

        assertThat(looks).isEqualTo(1);
    }

    /** A look that ends half way says nothing about the rest. */
    @Test
    void whatWasNotLookedAtIsNeitherResolvedNorNew() {
        try (CapturedLogs logs = CapturedLogs.start().at(TopologyWatch.class.getName(), org.slf4j.event.Level.INFO)) {
            whatWasNotLookedAtIsNeitherResolvedNorNew(logs);
        }
    }

    private void whatWasNotLookedAtIsNeitherResolvedNorNew(CapturedLogs logs) {
        broker = List.of(MISSING);
        watch.start(topology, List.of());
        Instant first = timeline.now();
        broker = List.of();
        refusal = "nobody answers";
        timeline.advance(TopologyWatch.INTERVAL);

        assertThat(watch.condition().words()).contains("could not be compared", "nobody answers");
        assertThat(watch.seen())
                .isNotNull()
                .extracting(TopologyWatch.Seen::best)
                .isEqualTo(seenAt(first, MISSING));
        timeline.advance(TopologyWatch.INTERVAL);
        broker = List.of(MISSING);
        refusal = null;
        timeline.advance(TopologyWatch.INTERVAL);

        assertThat(lines(logs))
                .containsExactly(
                        "WARN " + MISSING,
                        "WARN Policies and bindings are not checked: nobody answers",
                        "INFO Resolved: Policies and bindings are not checked: nobody answers");
        assertThat(watch.condition().words()).contains("in 1 point");
    }

    private static List<String> lines(CapturedLogs logs) {
        return logs.all().stream()
                .filter(line -> line.logger().equals(TopologyWatch.class.getName()))
                .map(line -> line.level() + " " + line.message())
                .toList();
    }

    @Test
    void saysAfterAWhileThatNobodyHasComparedItSince() {
        watch.start(topology, List.of());
        failing = true;
        timeline.advance(TopologyWatch.OLD);
        assertThat(watch.condition().level()).isEqualTo(Level.UP);

        timeline.advance(TopologyWatch.INTERVAL);

        assertThat(watch.condition().level()).isEqualTo(Level.UNKNOWN);
    }
}
