// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.node.StoreOutage;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.saga.management.UndoingSagas;
import io.safebunny.transport.TransportStatus;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The condition of one part of a node: the one judgement that health, the endpoints and the page show. The factory methods are pure.
 * Immutable.
 *
 * @param level how bad it is
 * @param words one sentence: what is the matter, and what to do
 * @param details figures and reasons, in the order in which they are shown; values are texts, numbers, maps, lists or {@link Status}
 */
public record NodeCondition(Level level, String words, Map<String, Object> details) {

    /** From the best to the worst. */
    public enum Level {
        /** Nothing to look at. */
        UP,
        /** Nobody knows yet. */
        UNKNOWN,
        /** Messages flow, but an operator should look. */
        DEGRADED,
        /** Messages do not flow. */
        DOWN
    }

    public NodeCondition {
        details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
    }

    private static NodeCondition of(Level level, String words, Object... details) {
        Map<String, Object> named = new LinkedHashMap<>();
        for (int i = 0; i < details.length; i += 2) {
            named.put(String.valueOf(details[i]), details[i + 1]);
        }
        return new NodeCondition(level, words, named);
    }

    private static String some(long count, String one, String many) {
        return count + " " + (count == 1 ? one : many);
    }

    /** Whether an operator should look. */
    public boolean needsALook() {
        return level.compareTo(Level.UNKNOWN) > 0;
    }

    /** @param transport name of the transport */
    public static NodeCondition broker(TransportStatus status, String node, String transport) {
        return of(
                status.usable() ? Level.UP : Level.DOWN,
                status.usable()
                        ? "The broker can be used: %s.".formatted(status.detail())
                        : "The broker cannot be used: %s. Check it; messages wait, and go on by themselves."
                                .formatted(status.detail()),
                "node",
                node,
                "transport",
                transport,
                "detail",
                status.detail());
    }

    /**
     * Messages that can neither be handled nor set aside, because the broker refuses their poison copies.
     *
     * @param held why, by queue
     * @param blocked a queue that stands still for that reason; {@code null} for none
     */
    public static NodeCondition poison(Map<String, String> held, @Nullable String blocked) {
        if (held.isEmpty()) {
            return of(Level.UP, "What cannot be handled can be set aside.");
        }
        Map<String, String> sorted = new TreeMap<>(held);
        return blocked == null
                ? of(
                        Level.DEGRADED,
                        "The broker refuses to take what cannot be handled, from %s. Check the reasons; messages go on by themselves."
                                .formatted(sorted.keySet()),
                        "held",
                        sorted)
                : of(
                        Level.DOWN,
                        "Queue %s stands still: the broker refuses to take what cannot be handled. Check the reasons; messages go on by themselves."
                                .formatted(blocked),
                        "held",
                        sorted,
                        "blocked",
                        blocked);
    }

    /** Publications of handled messages that the broker refuses. */
    public static NodeCondition publications(WaitingPublications waiting) {
        Instant oldest = waiting.oldest();
        if (oldest == null) {
            return of(Level.UP, "The broker takes what handled messages publish.");
        }
        Map<String, Integer> destinations = new TreeMap<>(waiting.destinations());
        return of(
                Level.DEGRADED,
                "The broker refuses publications of %s, the oldest since %s. Start a consumer of %s once, so that its queue exists."
                        .formatted(
                                some(waiting.messages(), "handled message", "handled messages"),
                                oldest,
                                destinations.keySet()),
                "messages",
                waiting.messages(),
                "oldest",
                oldest.toString(),
                "destinations",
                destinations);
    }

    /** @param statuses by type */
    public static NodeCondition breakers(Map<String, Status> statuses) {
        Map<String, Object> told = new TreeMap<>();
        statuses.forEach((type, status) -> {
            if (status.state() != State.CLOSED) {
                told.put(type, status);
            }
        });
        return told.isEmpty()
                ? of(Level.UP, "No type is paused.")
                : new NodeCondition(
                        Level.DEGRADED,
                        "%s paused: %s. Check why, and resume what an operator has paused."
                                .formatted(some(told.size(), "type is", "types are"), String.join(", ", told.keySet())),
                        told);
    }

    /**
     * @param store name of the store
     * @param outage {@code null} while it answers
     */
    public static NodeCondition store(String store, @Nullable StoreOutage outage) {
        return outage == null
                ? of(Level.UP, "The store answers.", "store", store)
                : of(
                        Level.DOWN,
                        "The store has not answered since %s: %s. Check it; messages wait, and go on by themselves."
                                .formatted(outage.since(), outage.reason()),
                        "store",
                        store,
                        "since",
                        outage.since().toString(),
                        "reason",
                        outage.reason());
    }

    /** Sagas that need an operator, as of the last count in the store. */
    public static NodeCondition sagas(SagaSupervision sagas) {
        if (!sagas.knowsSagas()) {
            return of(Level.UNKNOWN, "The node has not started yet.", "detail", "not started yet");
        }
        if (!sagas.hasSagas()) {
            return of(Level.UP, "This node has no sagas.", "detail", "this node has no sagas");
        }
        Instant asOf = sagas.countedAt();
        if (asOf == null) {
            return of(Level.UNKNOWN, "The sagas have not been counted yet.", "detail", "not counted yet");
        }
        Map<String, Map<SagaStatus, Long>> repair = sagas.needingRepair();
        Map<String, Long> blocked = sagas.blocked();
        Map<String, UndoingSagas> undoing = sagas.undoing();
        boolean late = undoing.values().stream().anyMatch(UndoingSagas::late);
        Map<String, Object> details = new LinkedHashMap<>();
        if (!repair.isEmpty()) {
            details.put("needingRepair", repair);
        }
        if (!blocked.isEmpty()) {
            details.put("blocked", blocked);
        }
        if (!undoing.isEmpty()) {
            Map<String, String> told = new TreeMap<>();
            undoing.forEach(
                    (saga, some) -> told.put(saga, "%s, the oldest since %s".formatted(some.count(), some.oldest())));
            details.put("undoing", told);
        }
        details.put("asOf", asOf.toString());
        boolean isWell = repair.isEmpty() && blocked.isEmpty() && !late;
        return new NodeCondition(
                isWell ? Level.UP : Level.DEGRADED,
                isWell ? "No saga needs a person." : sentence(count(repair), sum(blocked), late),
                details);
    }

    private static String sentence(long repair, long blocked, boolean late) {
        return "%s a repair, and %s for a message that was set aside.%s Look at each, and repair it."
                .formatted(
                        some(repair, "saga needs", "sagas need"),
                        some(blocked, "waits", "wait"),
                        late ? " An undo has not been acknowledged for more than an hour: check its participant." : "");
    }

    private static long count(Map<String, Map<SagaStatus, Long>> repair) {
        return repair.values().stream().mapToLong(NodeCondition::sum).sum();
    }

    private static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * @param asOf when the broker was last compared with the plan; {@code null} before the first time
     * @param findings what differs, each with what to do
     */
    public static NodeCondition topology(@Nullable Instant asOf, List<String> findings) {
        if (asOf == null) {
            return of(
                    Level.UNKNOWN, "The broker has not been compared with the plan yet.", "detail", "not compared yet");
        }
        return findings.isEmpty()
                ? of(Level.UP, "The broker is as planned.", "asOf", asOf.toString())
                : of(
                        Level.DEGRADED,
                        "The broker differs from the plan in %s. Check the findings."
                                .formatted(some(findings.size(), "point", "points")),
                        "findings",
                        findings,
                        "asOf",
                        asOf.toString());
    }
}
