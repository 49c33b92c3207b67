// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.node.StoreOutage;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.transport.TransportStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is wrong with a part of a node is said in a sentence that names it, and says what to do. */
class NodeConditionTest {

    private static final Instant SINCE = Instant.parse("2026-01-01T10:41:00Z");

    private static void is(NodeCondition condition, Level level, String... named) {
        assertThat(condition.level()).isEqualTo(level);
        assertThat(condition.needsALook()).isEqualTo(level == Level.DEGRADED || level == Level.DOWN);
        assertThat(condition.words()).endsWith(".");
        for (String one : named) {
            assertThat(condition.words()).contains(one);
        }
    }

    @Test
    void ofTheBroker() {
        is(NodeCondition.broker(new TransportStatus(true, "rabbit@a"), "shop", "rabbit"), Level.UP, "rabbit@a");
        is(
                NodeCondition.broker(new TransportStatus(false, "connection refused"), "shop", "rabbit"),
                Level.DOWN,
                "connection refused",
                "Check it");
    }

    @Test
    void ofWhatCannotBeSetAside() {
        is(NodeCondition.poison(Map.of(), null), Level.UP);
        is(NodeCondition.poison(Map.of("shop-Pay", "full"), null), Level.DEGRADED, "shop-Pay");
        is(NodeCondition.poison(Map.of("shop-Pay", "full"), "shop-Pay"), Level.DOWN, "shop-Pay stands still");
    }

    @Test
    void ofPublications() {
        is(NodeCondition.publications(new WaitingPublications(0, null, Map.of())), Level.UP);
        is(
                NodeCondition.publications(new WaitingPublications(2, SINCE, Map.of("shop-Shipped", 2))),
                Level.DEGRADED,
                "2 handled messages",
                "2026-01-01T10:41:00Z",
                "shop-Shipped");
    }

    @Test
    void ofBreakers() {
        Status closed = new Status("Pay", State.CLOSED, SINCE, null, null, null, null, null);
        Status open = new Status("Ship", State.OPEN, SINCE, SINCE, "paused by ann: why", null, null, null);
        is(NodeCondition.breakers(Map.of("Pay", closed)), Level.UP);

        NodeCondition paused = NodeCondition.breakers(Map.of("Pay", closed, "Ship", open));
        is(paused, Level.DEGRADED, "1 type is paused: Ship.");
        assertThat(paused.details()).isEqualTo(Map.of("Ship", open));
    }

    @Test
    void ofTheStore() {
        is(NodeCondition.store("JdbcMessageStore", null), Level.UP);
        is(
                NodeCondition.store("JdbcMessageStore", new StoreOutage(SINCE, "connection refused")),
                Level.DOWN,
                "2026-01-01T10:41:00Z",
                "connection refused");
    }

    @Test
    void ofTheTopology() {
        is(NodeCondition.topology(null, List.of()), Level.UNKNOWN);
        is(NodeCondition.topology(SINCE, List.of()), Level.UP);
        is(NodeCondition.topology(SINCE, List.of("queue x is missing")), Level.DEGRADED, "in 1 point.");
    }
}
