// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.node.StoreOutage;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.management.UndoingSagas;
import io.safebunny.store.Outbox.Backlog;
import io.safebunny.transport.TransportStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is wrong with a part of a node is said in a sentence that names it, and says what to do. */
class NodeConditionTest {

    private static final Instant SINCE = Instant.parse("2026-01-01T10:41:00Z");

    private static void is(NodeCondition condition, Level level, String... named) {
        assertThat(condition.level()).isEqualTo(level);
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

    private static Backlog waiting(int messages, boolean more, @Nullable String problem, String... causes) {
        return new Backlog(messages, more, messages == 0 ? null : SINCE, more, SINCE, problem, List.of(causes));
    }

    @Test
    void ofTheOutbox() {
        TransportStatus usable = new TransportStatus(true, "rabbit@a");
        TransportStatus blocked = new TransportStatus(false, "the broker has a memory alarm");
        Instant soon = SINCE.plusSeconds(30);
        is(NodeCondition.outbox(null, usable, soon), Level.UNKNOWN, "not been counted yet");
        is(NodeCondition.outbox(waiting(0, false, null, "nobody"), usable, soon), Level.UP, "The outbox is empty.");
        is(
                NodeCondition.outbox(waiting(1, false, null), usable, soon),
                Level.UP,
                "1 message waits in the outbox, the oldest since 2026-01-01T10:41:00Z; sending goes on.");
        is(
                NodeCondition.outbox(waiting(10_000, true, null, "shop-Pay: no queue is bound for it."), usable, soon),
                Level.DEGRADED,
                "At least 10000 messages wait in the outbox, the oldest since 2026-01-01T10:41:00Z or longer. shop-Pay: no queue");
        NodeCondition away = NodeCondition.outbox(waiting(2, false, null), blocked, soon);
        is(away, Level.DEGRADED, "The broker cannot be used: the broker has a memory alarm.");
        assertThat(away.details())
                .containsEntry("messages", 2)
                .containsEntry("oldest", SINCE.toString())
                .containsEntry("waitsFor", List.of("The broker cannot be used: the broker has a memory alarm."));
        is(
                NodeCondition.outbox(waiting(2, false, null), usable, SINCE.plusSeconds(361)),
                Level.DEGRADED,
                "This instance knows no reason");
        is(
                NodeCondition.outbox(waiting(0, false, "The database does not answer."), usable, soon),
                Level.DEGRADED,
                "could not be counted since 2026-01-01T10:41:00Z. The database does not answer.");
        is(
                NodeCondition.outbox(
                        new Backlog(0, false, null, false, null, "The database does not answer.", List.of()),
                        usable,
                        soon),
                Level.DEGRADED,
                "could not be counted yet. The database does not answer.");
    }

    @Test
    void ofBreakers() {
        Status closed = new Status("Pay", State.CLOSED, SINCE, null, null, null, null, null);
        Status open = new Status("Ship", State.OPEN, SINCE, SINCE, "paused by ann: why", null, null, null);
        is(NodeCondition.breakers(Map.of("Pay", closed)), Level.UP);

        NodeCondition paused = NodeCondition.breakers(Map.of("Pay", closed, "Ship", open));
        is(paused, Level.DEGRADED, "1 type is not handled: Ship (paused by ann: why).");
        assertThat(paused.details()).isEqualTo(Map.of("Ship", open));
    }

    @Test
    void ofBreakersThatOpenedByThemselves() {
        Pause pause = new Pause("Ship", SINCE, SINCE, Scope.NODE, "why", "ann");
        Status failed = new Status("Pay", State.OPEN, SINCE, SINCE, "75.0 % failed", 75f, null, null);
        Status both = new Status("Ship", State.HALF_OPEN, SINCE, SINCE, "75.0 % failed", 75f, null, pause);

        NodeCondition alone = NodeCondition.breakers(Map.of("Pay", failed));
        is(alone, Level.DEGRADED, "1 type is not handled: Pay (75.0 % failed).");
        assertThat(alone.words()).doesNotContain("operator");
        is(
                NodeCondition.breakers(Map.of("Pay", failed, "Ship", both)),
                Level.DEGRADED,
                "2 types are not handled: Pay (75.0 % failed), Ship (paused by ann: why, being tried again).",
                "resume what an operator has paused");
    }

    @Test
    void namesAFewAndCountsTheRest() {
        Map<String, Status> all = IntStream.range(0, 500)
                .mapToObj("T%03d"::formatted)
                .collect(Collectors.toMap(
                        type -> type, type -> new Status(type, State.OPEN, SINCE, null, "away", null, null, null)));

        assertThat(NodeCondition.breakers(all).words())
                .contains("500 types", "T000 (away)", "T004 (away) and 495 more.")
                .doesNotContain("T005");
    }

    @Test
    void ofSagas() {
        is(NodeCondition.sagas(SINCE, Map.of(), Map.of(), Map.of()), Level.UP, "No saga needs a person");
        NodeCondition late =
                NodeCondition.sagas(SINCE, Map.of(), Map.of(), Map.of("Order", new UndoingSagas(1, SINCE, true)));
        is(late, Level.DEGRADED, "An undo has not been acknowledged", "Look at each");
        assertThat(late.words()).doesNotContain("0 ");
        is(
                NodeCondition.sagas(
                        SINCE,
                        Map.of("Order", Map.of(SagaStatus.STUCK, 2L), "Gift", Map.of(SagaStatus.STUCK, 1L)),
                        Map.of("Order", 1L),
                        Map.of("Order", new UndoingSagas(1, SINCE, false))),
                Level.DEGRADED,
                "3 sagas need a repair. 1 saga waits for a message that was set aside, or has been idle since a repair. Look at each");
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
        is(NodeCondition.topology(null, null, List.of(), List.of()), Level.UNKNOWN);
        is(NodeCondition.topology(SINCE, null, List.of(), List.of()), Level.UP, "is as planned.");
        is(
                NodeCondition.topology(SINCE, null, List.of(), List.of("queue y is left over")),
                Level.UP,
                "but for 1 point of no harm");
        is(
                NodeCondition.topology(SINCE, null, List.of("queue x is missing"), List.of("queue y is left over")),
                Level.DEGRADED,
                "in 1 point.");
        is(
                NodeCondition.topology(SINCE, "nobody answers. Check the address", List.of("not checked"), List.of()),
                Level.DEGRADED,
                "could not be compared with the plan: nobody answers. Check the address.");
        is(NodeCondition.topologyNotComparedSince(SINCE), Level.UNKNOWN, "2026-01-01T10:41:00Z");
    }
}
