// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopologyWatchTest {

    private static final String MISSING = "Queue 'a' is not bound";

    private final Topology topology = TopologyPlanner.plan("shop", List.of(), List.of(), TopologyOptions.defaults());
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private List<String> broker = List.of();
    private boolean failing;
    private final TopologyWatch watch = new TopologyWatch(this::look, true, timeline, Runnable::run);

    private List<String> look(Topology unused, List<HandlerDefinition> alsoUnused) {
        if (failing) {
            throw new IllegalStateException("a defect");
        }
        return broker;
    }

    @Test
    void seesWhatChangesAfterTheStartAndWhatIsMended() {
        assertThat(watch.seen()).isNull();
        watch.start(topology, List.of());
        Instant first = timeline.now();
        assertThat(watch.seen()).isEqualTo(new TopologyWatch.Seen(first, List.of()));

        broker = List.of(MISSING);
        timeline.advance(TopologyWatch.INTERVAL);
        assertThat(watch.seen())
                .isEqualTo(new TopologyWatch.Seen(first.plus(TopologyWatch.INTERVAL), List.of(MISSING)));

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
}
