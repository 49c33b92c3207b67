// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.node.StoreOutage;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.saga.management.UndoingSagas;
import io.safebunny.store.Outbox.Backlog;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
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

    /** A sentence is read at once. */
    private static final int MOST_NAMES = 5;

    /** Longer than what was refused once waits for its next try. */
    private static final Duration LATE = Duration.ofMinutes(6);

    private static final String NO_CAUSE =
            "This instance knows no reason: look at the other instances' outbox and logs.";

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

    /** The first names, and how many more there are. */
    private static String names(Collection<String> all) {
        String first = all.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
        return all.size() <= MOST_NAMES ? first : "%s and %s more".formatted(first, all.size() - MOST_NAMES);
    }

    private static String some(long count, String one, String many) {
        return count + " " + (count == 1 ? one : many);
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
            return of(Level.UP, "The broker takes what cannot be handled.");
        }
        Map<String, String> sorted = new TreeMap<>(held);
        return blocked == null
                ? of(
                        Level.DEGRADED,
                        "The broker refuses to take what cannot be handled, from %s. Check the reasons; messages go on by themselves."
                                .formatted(names(sorted.keySet())),
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
                                names(destinations.keySet())),
                "messages",
                waiting.messages(),
                "oldest",
                oldest.toString(),
                "destinations",
                destinations);
    }

    /**
     * What the application's transactions have published and the broker has not confirmed.
     *
     * @param waiting {@code null} if not counted yet
     */
    public static NodeCondition outbox(@Nullable Backlog waiting, TransportStatus broker, Instant now) {
        if (waiting == null) {
            return of(Level.UNKNOWN, "The outbox has not been counted yet.", "detail", "not counted yet");
        }
        Instant oldest = waiting.oldest();
        List<String> causes = new ArrayList<>(waiting.causes());
        if (!broker.usable()) {
            causes.add(0, "The broker cannot be used: %s.".formatted(broker.detail()));
        }
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("messages", waiting.messages());
        if (oldest != null) {
            details.put("oldest", oldest.toString());
            details.put("waitsFor", causes);
        }
        details.put(
                "asOf",
                waiting.asOf() == null ? "not counted yet" : waiting.asOf().toString());
        if (waiting.problem() != null) {
            return new NodeCondition(
                    Level.DEGRADED,
                    "The outbox could not be counted%s. %s"
                            .formatted(waiting.asOf() == null ? " yet" : " since " + waiting.asOf(), waiting.problem()),
                    details);
        }
        if (oldest == null) {
            return new NodeCondition(Level.UP, "The outbox is empty.", details);
        }
        String count = "%s%s in the outbox, the oldest since %s%s"
                .formatted(
                        waiting.more() ? "at least " : "",
                        some(waiting.messages(), "message waits", "messages wait"),
                        oldest,
                        waiting.older() ? " or longer" : "");
        boolean isLate = oldest.plus(LATE).isBefore(now);
        if (causes.isEmpty() && !isLate) {
            return new NodeCondition(Level.UP, capital(count) + "; sending goes on.", details);
        }
        return new NodeCondition(
                Level.DEGRADED,
                "%s. %s".formatted(capital(count), causes.isEmpty() ? NO_CAUSE : String.join(" ", causes)),
                details);
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    /** @param statuses by type */
    public static NodeCondition breakers(Map<String, Status> statuses) {
        Map<String, Status> told = new TreeMap<>();
        statuses.forEach((type, status) -> {
            if (status.state() != State.CLOSED) {
                told.put(type, status);
            }
        });
        boolean anyPaused = told.values().stream().anyMatch(status -> status.pause() != null);
        return told.isEmpty()
                ? of(Level.UP, "No type is paused.")
                : new NodeCondition(
                        Level.DEGRADED,
                        "%s not handled: %s. Check why%s."
                                .formatted(
                                        some(told.size(), "type is", "types are"),
                                        names(told.values().stream()
                                                .map(NodeCondition::why)
                                                .toList()),
                                        anyPaused ? ", and resume what an operator has paused" : ""),
                        new LinkedHashMap<>(told));
    }

    /** The type, and who or what has stopped it. */
    private static String why(Status status) {
        Pause pause = status.pause();
        String reason = pause == null
                ? Objects.requireNonNullElse(status.reason(), "open")
                : "paused by %s: %s".formatted(pause.by(), pause.reason());
        if (pause == null && status.lackingSince() != null) {
            return "%s (since %s, %s)".formatted(status.type(), status.lackingSince(), reason);
        }
        return "%s (%s%s)"
                .formatted(status.type(), reason, status.state() == State.HALF_OPEN ? ", being tried again" : "");
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
        return sagas(asOf, sagas.needingRepair(), sagas.blocked(), sagas.undoing());
    }

    static NodeCondition sagas(
            Instant asOf,
            Map<String, Map<SagaStatus, Long>> repair,
            Map<String, Long> blocked,
            Map<String, UndoingSagas> undoing) {
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
        String sentence = sentence(count(repair), sum(blocked), late);
        return sentence.isEmpty()
                ? new NodeCondition(Level.UP, "No saga needs a person.", details)
                : new NodeCondition(Level.DEGRADED, sentence + " Look at each, and repair it.", details);
    }

    /** Empty if no saga needs a person. */
    private static String sentence(long repair, long blocked, boolean late) {
        List<String> sentences = new ArrayList<>();
        if (repair > 0) {
            sentences.add(some(repair, "saga needs a repair.", "sagas need a repair."));
        }
        if (blocked > 0) {
            sentences.add(some(
                    blocked,
                    "saga waits for a message that was set aside, or has been idle since a repair.",
                    "sagas wait for messages that were set aside, or have been idle since a repair."));
        }
        if (late) {
            sentences.add("An undo has not been acknowledged for more than an hour: check its participant.");
        }
        return String.join(" ", sentences);
    }

    private static long count(Map<String, Map<SagaStatus, Long>> repair) {
        return repair.values().stream().mapToLong(NodeCondition::sum).sum();
    }

    private static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * @param asOf when the broker was last compared with the plan; {@code null} before the first time
     * @param refusal why it could not be compared, and what to do; {@code null} if it could
     * @param findings what differs, each with what to do
     * @param remarks the same of what the node works without
     */
    public static NodeCondition topology(
            @Nullable Instant asOf, @Nullable String refusal, List<String> findings, List<String> remarks) {
        if (asOf == null) {
            return of(
                    Level.UNKNOWN, "The broker has not been compared with the plan yet.", "detail", "not compared yet");
        }
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("findings", findings);
        details.put("remarks", remarks);
        details.values().removeIf(List.of()::equals);
        details.put("asOf", asOf.toString());
        boolean isUp = refusal == null && findings.isEmpty();
        return new NodeCondition(
                isUp ? Level.UP : Level.DEGRADED, isUp ? asPlanned(remarks) : differing(refusal, findings), details);
    }

    private static String asPlanned(List<String> remarks) {
        return remarks.isEmpty()
                ? "The broker is as planned."
                : "The broker is as planned, but for %s of no harm to this node. See the remarks."
                        .formatted(some(remarks.size(), "point", "points"));
    }

    private static String differing(@Nullable String refusal, List<String> findings) {
        return refusal != null
                ? "The broker could not be compared with the plan: %s.".formatted(refusal)
                : "The broker differs from the plan in %s. Check the findings."
                        .formatted(some(findings.size(), "point", "points"));
    }

    /** Nobody looks any more, or the look never ends. */
    public static NodeCondition topologyNotComparedSince(Instant asOf) {
        return of(
                Level.UNKNOWN,
                "The broker has not been compared with the plan since %s. Look for the reason in the log."
                        .formatted(asOf),
                "asOf",
                asOf.toString());
    }
}
