// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.order.lane.LaneDocument;
import io.safebunny.store.record.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lanes that are due run a few side by side. */
class LaneLineTest {

    private static final RecordKey A = LaneDocument.key("a", "OrderPlaced");
    private static final RecordKey B = LaneDocument.key("b", "OrderPlaced");

    private final List<String> events = new ArrayList<>();

    /** The second lane becomes due while the first one runs. */
    private void runBoth(LaneLine line) {
        line.run(A, first -> {
            events.add("begins " + first.correlationId());
            if (first.equals(A)) {
                line.run(B, second -> events.add("runs within " + second.correlationId()));
                line.run(B, second -> events.add("runs within " + second.correlationId()));
            }
            events.add("ends " + first.correlationId());
        });
    }

    @Test
    void oneThatFindsNoPlaceRunsOnceWhenAnotherIsDone() {
        runBoth(new LaneLine(1));

        assertThat(events).containsExactly("begins a", "ends a", "begins b", "ends b");
    }

    @Test
    void oneThatFindsAPlaceRunsAtOnce() {
        runBoth(new LaneLine(2));

        assertThat(events).containsExactly("begins a", "runs within b", "runs within b", "ends a");
    }
}
