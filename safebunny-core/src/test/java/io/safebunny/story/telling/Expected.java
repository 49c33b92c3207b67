// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.story.NodeStory.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the nodes that are asked have to say of one id, from what was observed. */
final class Expected {

    private static final Duration YOUNG = Duration.ofSeconds(5);
    private static final List<String> OF_SAGAS = List.of("BunnyUndone", "BunnyTimeout", "BunnyRepair");

    private final Observed observed;
    private final String correlationId;
    private final String asked;
    private final List<String> nodes;
    private final UnaryOperator<String> instances;
    private final Set<String> unroutable;
    private final List<Fact> facts = new ArrayList<>();

    /**
     * @param asked the id that was asked for: of a message, or the correlation id
     * @param instances the name of each node's instance
     * @param unroutable types that nobody handles
     */
    Expected(
            Observed observed,
            String correlationId,
            String asked,
            List<String> nodes,
            UnaryOperator<String> instances,
            Set<String> unroutable) {
        this.observed = observed;
        this.correlationId = correlationId;
        this.asked = asked;
        this.nodes = nodes;
        this.instances = instances;
        this.unroutable = unroutable;
    }

    boolean isKnown() {
        return nodes.stream().anyMatch(this::isKnown);
    }

    private boolean isKnown(String node) {
        boolean byCorrelation = asked.equals(correlationId);
        return !messages(node).isEmpty()
                && (byCorrelation || nodes.size() > 1 || messages(node).stream().anyMatch(m -> m.id.equals(asked)));
    }

    private List<Seen.Message> messages(String node) {
        return observed.at(node).values().stream()
                .filter(message -> message.correlationId.equals(correlationId))
                .toList();
    }

    List<Fact> facts() {
        for (String node : nodes) {
            Seen.Saga saga = observed.sagas.get(correlationId);
            if (saga != null && saga.node.equals(node)) {
                add(saga);
            }
            messages(node).forEach(this::add);
            addCounted(node);
        }
        return facts;
    }

    private void add(String shape, String of, @Nullable String... values) {
        Fact fact = Fact.of(shape, values);
        fact.values().put("of", of);
        facts.add(fact);
    }

    // ---- sagas

    private void add(Seen.Saga saga) {
        String changed = Fact.at(saga.changedAt);
        String subject = saga.name + ' ' + saga.id;
        Seen.Step undoing = saga.undoing();
        Seen.Blocked repair = repair(saga);
        switch (saga.status) {
            case ACTIVE -> {
                Seen.Repair again = saga.again;
                if (repair != null) {
                    addRepair(saga, subject, repair);
                } else if (again == null) {
                    addHead(saga, "saga:active", "since", Fact.at(saga.startedAt));
                } else {
                    boolean isResume = again.action().equals("RESUME");
                    String how = isResume ? "somebody resumed it" : "somebody skipped a step of it";
                    addHead(saga, "saga:activeAgain", "since", Fact.at(again.at()), "how", how);
                }
            }
            case COMPLETED -> addHead(saga, "saga:completed", "changed", changed);
            case FAILED ->
                addHead(saga, "saga:failed", "reason", saga.reason, "steps", steps(saga), "changed", changed);
            case COMPENSATING ->
                addHead(
                        saga,
                        "saga:undoing",
                        "reason",
                        saga.reason,
                        "undo",
                        undoing == null ? null : undoing.undo,
                        "step",
                        undoing == null ? null : undoing.name,
                        "sent",
                        undoing == null ? null : Fact.at(undoing.undoneAt),
                        "changed",
                        changed);
            case COMPENSATION_FAILED ->
                addHead(
                        saga,
                        "saga:undoFailed",
                        "reason",
                        saga.reason,
                        "undo",
                        undoing == null ? null : undoing.undo,
                        "step",
                        undoing == null ? null : undoing.name,
                        "changed",
                        changed);
            case STUCK -> {
                Seen.Message on = Objects.requireNonNull(saga.stuckOn);
                addHead(
                        saga,
                        "saga:stuck",
                        "since",
                        Fact.at(saga.stuckAt),
                        "on",
                        on.name(),
                        "by",
                        saga.node,
                        "why",
                        on.last().why());
            }
        }
        addTimedOut(saga, subject);
        if (!saga.repairs.isEmpty()) {
            add("byHand", subject, "repairs", repairs(saga));
        }
        if (saga.status.isEnded()) {
            return;
        }
        if (saga.status == SagaStatus.STUCK) {
            add("takesNoOther", subject);
        }
        for (Seen.Blocked blocked : saga.blocked.values()) {
            Seen.Message aside = nodes.contains(blocked.node())
                    ? observed.at(blocked.node()).get(blocked.messageId() + ' ' + saga.id)
                    : null;
            boolean isAside = aside != null && aside.state == State.SET_ASIDE;
            if (blocked.equals(repair) || (isAside && !isWaitedFor(saga, blocked))) {
                continue;
            }
            facts.add(Fact.of(
                    "blocked",
                    "by",
                    blocked.node(),
                    "on",
                    "`%s` (%s)".formatted(blocked.type(), blocked.messageId()),
                    "reason",
                    blocked.reason(),
                    "why",
                    why(saga, blocked),
                    "at",
                    aside != null && isAside ? Fact.at(aside.changedAt) : null,
                    "how",
                    isWaitedFor(saga, blocked) ? "is blocked on it" : "does not wait for it any more"));
        }
        Set<String> awaited = awaited(saga);
        if (saga.status == SagaStatus.ACTIVE && repair == null) {
            addWaiting(saga, subject, changed, awaited);
        }
        if (saga.status == SagaStatus.ACTIVE) {
            saga.steps.values().stream()
                    .filter(step -> step.status == StepStatus.SKIPPED)
                    .forEach(step -> add("skipped", subject, "step", step.name));
        }
        addPauses(saga, subject, awaited, repair == null);
        saga.timeouts.forEach((name, due) -> addTimeout(saga, subject, name, due));
    }

    private static String repairs(Seen.Saga saga) {
        Map<String, String> verbs =
                Map.of("SKIP", "skipped a step of it", "FAIL", "made it fail", "RESUME", "resumed it");
        Map<String, List<Seen.Repair>> all = new LinkedHashMap<>();
        saga.repairs.forEach(repair ->
                all.computeIfAbsent(repair.action(), any -> new ArrayList<>()).add(repair));
        List<String> parts = new ArrayList<>();
        all.forEach((action, some) -> {
            Seen.Repair last = some.get(some.size() - 1);
            int times = some.size();
            parts.add("%s %s, %s %s (\"%s\")"
                    .formatted(
                            verbs.get(action),
                            times == 1 ? "once" : times == 2 ? "twice" : times + " times",
                            times == 1 ? "at" : "last at",
                            Fact.at(last.at()),
                            last.reason()));
        });
        String end = parts.remove(parts.size() - 1);
        return parts.isEmpty() ? end : String.join(", ", parts) + " and " + end;
    }

    private void addTimedOut(Seen.Saga saga, String subject) {
        String timeout = saga.timedOut;
        if (timeout == null) {
            return;
        }
        Seen.Repair resumed = saga.repairs.stream()
                .filter(repair -> repair.action().equals("RESUME"))
                .filter(repair -> !repair.at().isAfter(saga.timedOutAt))
                .reduce((earlier, later) -> later)
                .filter(repair -> !saga.timedOutDue.isAfter(repair.at()))
                .orElse(null);
        add(
                "byTimeout",
                subject,
                "timeout",
                timeout,
                "at",
                Fact.at(saga.timedOutAt),
                "how",
                resumed == null ? "expired" : "ran",
                "resumed",
                resumed == null ? null : Fact.at(resumed.at()),
                "reason",
                resumed == null ? null : resumed.reason(),
                "due",
                resumed == null ? null : Fact.at(saga.timedOutDue));
        for (Seen.Step step : saga.steps.values()) {
            Observed.Sent command = observed.sent(saga.id, step.type);
            String id = command == null ? "" : command.id();
            String on = "`%s` (%s)".formatted(step.type, id);
            Seen.Heard heard = saga.heard.get(id);
            Seen.Message message = nodes.stream()
                    .map(node -> observed.at(node).get(id + ' ' + saga.id))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            Seen.Failure last = message == null ? null : before(message, saga.timedOutAt);
            String why = last == null ? null : last.why();
            if (heard != null && heard.takes() == saga.takes && !heard.at().isAfter(saga.timedOutAt)) {
                String since = Fact.at(heard.at());
                add(
                        "asideBefore",
                        subject,
                        "since",
                        since,
                        "by",
                        heard.node(),
                        "on",
                        on,
                        "step",
                        step.name,
                        "reason",
                        heard.reason(),
                        "why",
                        nodes.contains(heard.node()) ? why : null);
            } else if (step.taken == saga.takes && last != null && message != null && message.state != State.HANDLED) {
                String failed = Fact.at(last.at());
                facts.add(Fact.of(
                        "failedBefore", "by", message.node, "on", on, "step", step.name, "failed", failed, "why", why));
            }
        }
    }

    /** Records keep the latest five. */
    private static Seen.@Nullable Failure before(Seen.Message message, Instant over) {
        List<Seen.Failure> failures = message.failures;
        return failures.subList(Math.max(0, failures.size() - 5), failures.size()).stream()
                .filter(failure -> !failure.at().isAfter(over))
                .reduce((earlier, later) -> later)
                .orElse(null);
    }

    private void addHead(Seen.Saga saga, String shape, @Nullable String... values) {
        Fact fact = Fact.of(shape, values);
        fact.values().putAll(Map.of("saga", saga.name, "id", saga.id, "node", saga.node));
        facts.add(fact);
    }

    private static String steps(Seen.Saga saga) {
        long undone = saga.steps.values().stream()
                .filter(step -> step.status == StepStatus.UNDONE)
                .count();
        StringBuilder text = new StringBuilder(
                undone == 0
                        ? ""
                        : ", with %s step%s undone".formatted(undone == 1 ? "one" : undone, undone == 1 ? "" : "s"));
        for (Seen.Step step : saga.steps.values()) {
            if (step.status == StepStatus.SKIPPED) {
                text.append("; step %s was skipped by an operator, and no node has acknowledged that it was undone"
                        .formatted(step.name));
            } else if (step.status != StepStatus.UNDONE) {
                text.append("; step %s has no undo".formatted(step.name));
            }
        }
        return text.toString();
    }

    private static boolean isWaitedFor(Seen.Saga saga, Seen.Blocked blocked) {
        boolean runs = saga.status == SagaStatus.ACTIVE || saga.status == SagaStatus.STUCK;
        return saga.steps.values().stream()
                .anyMatch(step -> runs
                        ? step.type.equals(blocked.type())
                        : blocked.type().equals(step.undo) && step.status == StepStatus.UNDOING);
    }

    private Set<String> awaited(Seen.Saga saga) {
        Set<String> types = new TreeSet<>();
        Observed.Kind kind = observed.kind(saga.name);
        if (kind != null && saga.status == SagaStatus.ACTIVE) {
            types.addAll(kind.takes().keySet());
            types.removeAll(saga.taken);
        }
        return types;
    }

    private void addWaiting(Seen.Saga saga, String subject, String changed, Set<String> awaited) {
        Observed.Kind kind = observed.kind(saga.name);
        if (awaited.isEmpty() || kind == null) {
            add("allTaken", subject, "changed", changed);
        } else {
            add(
                    "awaits",
                    subject,
                    "changed",
                    changed,
                    "types",
                    awaited.stream()
                            .map(type -> type + " from " + kind.takes().get(type))
                            .toList()
                            .toString());
        }
        List<Seen.Step> open = saga.steps.values().stream()
                .filter(step -> step.status == StepStatus.SENT)
                .toList();
        if (!open.isEmpty()) {
            Seen.Step last = open.get(open.size() - 1);
            Observed.Sent command = observed.sent(saga.id, last.type);
            add(
                    "latestStep",
                    subject,
                    "step",
                    last.name,
                    "command",
                    "`%s` (%s)".formatted(last.type, command == null ? "never sent" : command.id()));
        }
    }

    /** What was set aside of the step on which alone it waits: all others were sent before something came. */
    private Seen.@Nullable Blocked repair(Seen.Saga saga) {
        List<Seen.Step> open = saga.steps.values().stream()
                .filter(step -> step.status == StepStatus.SENT)
                .toList();
        if (saga.status != SagaStatus.ACTIVE || open.isEmpty()) {
            return null;
        }
        Seen.Step last = open.get(open.size() - 1);
        Seen.Blocked blocked = blocked(saga, last);
        boolean isAlone =
                open.stream().allMatch(step -> step == last || blocked(saga, step) != null || step.taken < last.taken);
        return isAlone ? blocked : null;
    }

    private static Seen.@Nullable Blocked blocked(Seen.Saga saga, Seen.Step step) {
        return saga.blocked.values().stream()
                .filter(blocked -> blocked.type().equals(step.type))
                .findFirst()
                .orElse(null);
    }

    private void addRepair(Seen.Saga saga, String subject, Seen.Blocked blocked) {
        Instant since = blocked.since();
        addHead(
                saga,
                "saga:repair",
                "since",
                since == null ? null : Fact.at(since),
                "by",
                blocked.node(),
                "on",
                "`%s` (%s)".formatted(blocked.type(), blocked.messageId()),
                "step",
                saga.steps.values().stream()
                        .filter(step -> step.type.equals(blocked.type()))
                        .map(step -> step.name)
                        .findFirst()
                        .orElse("none"),
                "reason",
                blocked.reason(),
                "why",
                why(saga, blocked));
        add("repair", subject, "since", Fact.at(saga.startedAt), "changed", Fact.at(saga.changedAt));
    }

    /** Only its own node tells how it has failed. */
    private @Nullable String why(Seen.Saga saga, Seen.Blocked blocked) {
        Seen.Message message = observed.at(blocked.node()).get(blocked.messageId() + ' ' + saga.id);
        return !nodes.contains(blocked.node()) || message == null || message.failures.isEmpty()
                ? null
                : message.last().why();
    }

    private void addPauses(Seen.Saga saga, String subject, Set<String> awaited, boolean detailed) {
        List<Seen.Pause> pauses = Stream.concat(awaited.stream(), OF_SAGAS.stream())
                .map(type -> observed.pause(saga.node, type))
                .filter(Objects::nonNull)
                .toList();
        pauses.forEach(pause -> facts.add(pause("pause", saga.node, pause)));
        if (detailed && pauses.isEmpty() && saga.status == SagaStatus.ACTIVE && !awaited.isEmpty()) {
            String which = awaited.size() == 1 ? "This type is not" : "None of these types is";
            add("notPaused", subject, "which", which, "instance", instances.apply(saga.node), "node", saga.node);
        }
    }

    private Fact pause(String shape, String node, Seen.Pause pause) {
        Instant until = pause.until();
        return Fact.of(
                shape,
                "type",
                shape.equals("pause") ? pause.type() : null,
                "state",
                pause.open() ? "paused" : "probed with few messages",
                "since",
                Fact.at(pause.since()),
                "until",
                until == null ? null : Fact.at(until),
                "by",
                pause.by(),
                "reason",
                pause.reason(),
                "opened",
                pause.opened(),
                "instance",
                instances.apply(node),
                "node",
                node);
    }

    private void addTimeout(Seen.Saga saga, String subject, String name, Instant due) {
        boolean past = due.isBefore(observed.now());
        String at = Fact.at(due);
        if (saga.status == SagaStatus.ACTIVE) {
            add("timeout", subject, "name", name, "how", past ? "has been due since" : "is due at", "at", at);
        } else {
            Seen.Message on = Objects.requireNonNull(saga.stuckOn);
            boolean isItself = on.type.equals("BunnyTimeout") && saga.timeouts.size() == 1;
            if (past) {
                add("timeoutDue", subject, "name", name, "at", at, "unless", isItself ? null : on.name());
            } else {
                add("timeoutIdle", subject, "name", name, "at", at);
            }
        }
    }

    // ---- messages

    private boolean isUnsent(Seen.Message message) {
        return message.state == State.HANDLED && !unsent(message).isEmpty();
    }

    private boolean isYoung(Seen.Message message) {
        return !message.sentAt.plus(YOUNG).isBefore(observed.now());
    }

    private boolean isCounted(Seen.Message message) {
        return message.state == State.HANDLED && !message.id.equals(asked) && (!isUnsent(message) || isYoung(message));
    }

    private void addCounted(String node) {
        Map<String, Integer> types = new TreeMap<>();
        messages(node).stream()
                .filter(this::isCounted)
                .forEach(message -> types.merge(message.typeName(), 1, Integer::sum));
        int all = types.values().stream().mapToInt(Integer::intValue).sum();
        if (all > 0) {
            List<String> names = types.entrySet().stream()
                    .map(type -> type.getKey() + (type.getValue() == 1 ? "" : " " + type.getValue()))
                    .toList();
            facts.add(
                    Fact.of("counted", "node", node, "count", all == 1 ? "one" : "" + all, "types", names.toString()));
        }
    }

    private void add(Seen.Message message) {
        if (isCounted(message)) {
            return;
        }
        String name = message.name();
        String at = Fact.at(message.changedAt);
        boolean failed = !message.failures.isEmpty();
        String attempts = failed ? count(message.failures.size()) : null;
        String lastAt = failed ? Fact.at(message.last().at()) : null;
        String why = failed ? message.last().why() : null;
        switch (message.state) {
            case HANDLING ->
                addHead("message:handling", message, "at", at, "count", attempts, "failed", lastAt, "why", why);
            case SET_ASIDE -> {
                Seen.Saga saga = observed.sagas.get(correlationId);
                String refusal = saga == null || !nodes.contains(saga.node) ? null : refusal(message, saga);
                boolean isTold = refusal == null && isToldWithSaga(message, saga);
                if (!isTold) {
                    addHead("message:setAside", message, "at", at, "count", attempts, "failed", lastAt, "why", why);
                } else if (message.failures.size() > 1) {
                    addHead("message:failedTimes", message, "count", times(message), "failed", lastAt);
                }
                if (!failed && isTold) {
                    facts.add(Fact.of("howFailed", "message", name));
                } else if (!failed) {
                    add("noReason", name);
                }
                if (refusal != null) {
                    add(refusal, name);
                }
            }
            case UNDONE -> {
                addHead("message:undone", message, "at", at, "undo", undo(message));
                if (failed && message.last().next() == null) {
                    facts.add(Fact.of("asideBeforeUndo", "type", message.type));
                }
            }
            case EXPIRED, SHREDDED -> throw new AssertionError("no message of this model has a deadline or a subject");
            case HANDLED, UNSENT -> {
                addHead(
                        published(message).isEmpty() ? "message:handled" : "message:handledBy",
                        message,
                        "at",
                        isUnsent(message) ? Fact.at(message.sentAt) : at,
                        "count",
                        attempts,
                        "failed",
                        lastAt,
                        "why",
                        why);
                if (isUnsent(message)) {
                    String yet = isYoung(message) ? "yet " : null;
                    add("unsent", name, "yet", yet, "names", unsent(message).toString());
                }
            }
            case WAITING -> addWaiting(message, failed, at);
        }
        if (message.id.equals(asked)) {
            addPublished(message);
        }
    }

    /** Whether sentences about its saga tell all of it but how often it has failed. */
    private boolean isToldWithSaga(Seen.Message message, Seen.@Nullable Saga saga) {
        if (saga == null || !nodes.contains(saga.node) || message.id.equals(asked)) {
            return false;
        }
        Seen.Blocked blocked = saga.blocked.get(message.id);
        return message == saga.stuckOn || (blocked != null && blocked.node().equals(message.node));
    }

    /** The shape of the sentence that says why it must not be replayed. */
    private static @Nullable String refusal(Seen.Message message, Seen.Saga saga) {
        Seen.Step step = saga.steps.values().stream()
                .filter(one -> message.type.equals(one.type) || message.type.equals(one.undo))
                .findFirst()
                .orElse(null);
        StepStatus undo = step != null && message.type.equals(step.undo) ? step.status : null;
        if (step != null && step.status == StepStatus.SKIPPED) {
            return "stepSkipped";
        } else if (saga.status.isEnded()) {
            boolean isLeftOver = step != null
                    ? saga.status == SagaStatus.FAILED
                    : OF_SAGAS.contains(message.type) || saga.heard.containsKey(message.id);
            return isLeftOver ? "leftOver" : "sagaEnded";
        } else if (saga.status != SagaStatus.ACTIVE
                && saga.status != SagaStatus.STUCK
                && step == null
                && !OF_SAGAS.contains(message.type)
                && !saga.sent.contains(message.type)
                && saga.heard.containsKey(message.id)) {
            return "ignored";
        } else if (undo == StepStatus.UNDONE) {
            return "undoAcknowledged";
        } else if (step == null && saga.sent.contains(message.type)) {
            return "notItsStep";
        }
        boolean isUndoing = saga.status != SagaStatus.ACTIVE
                && saga.status != SagaStatus.STUCK
                && undo != StepStatus.UNDOING
                && !message.type.equals("BunnyUndone");
        return isUndoing ? "sagaUndoing" : null;
    }

    private static String times(Seen.Message message) {
        int times = message.failures.size();
        return times == 1 ? "once" : times == 2 ? "twice" : times < 5 ? times + " times" : "at least 5 times";
    }

    /** What the saga knows, if its node tells. */
    private @Nullable String undo(Seen.Message command) {
        Seen.Saga saga = observed.sagas.get(correlationId);
        if (saga == null || !nodes.contains(saga.node)) {
            return null;
        }
        return saga.steps.values().stream()
                .filter(step -> {
                    Observed.Sent sent = observed.sent(saga.id, step.type);
                    return sent != null && sent.id().equals(command.id);
                })
                .filter(step -> step.status == StepStatus.UNDOING || step.status == StepStatus.UNDONE)
                .map(step -> step.status == StepStatus.UNDOING ? "is not acknowledged yet" : "was acknowledged")
                .findFirst()
                .orElse(null);
    }

    private void addWaiting(Seen.Message message, boolean failed, String at) {
        String name = message.name();
        if (!failed) {
            addHead("message:returned", message, "at", at);
        } else {
            Seen.Failure last = message.last();
            addHead(
                    "message:failing",
                    message,
                    "count",
                    times(message),
                    "failed",
                    Fact.at(last.at()),
                    "why",
                    last.why());
            Instant next = last.next();
            if (next != null && !message.changedAt.isBefore(next)) {
                add("cameBack", name, "at", at);
            } else if (next != null) {
                add(next.isBefore(observed.now()) ? "nextWas" : "next", name, "at", Fact.at(next));
            }
        }
        Seen.Pause pause = observed.pause(message.node, message.type);
        if (pause == null) {
            add("typeNotPaused", name, "instance", instances.apply(message.node), "node", message.node);
        } else {
            Fact paused = pause("typePaused", message.node, pause);
            paused.values().put("of", name);
            facts.add(paused);
        }
    }

    private void addHead(String shape, Seen.Message message, @Nullable String... values) {
        Fact fact = Fact.of(shape, values);
        fact.values().putAll(Map.of("node", message.node, "message", message.name()));
        facts.add(fact);
    }

    private static String count(int times) {
        return times == 1 ? "one failed attempt" : (times < 5 ? times + "" : "at least 5") + " failed attempts";
    }

    private Collection<Observed.Sent> published(Seen.Message message) {
        return observed.sent.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(' ' + message.correlationId))
                .map(Map.Entry::getValue)
                .filter(sent -> message.id.equals(sent.cause()) && sent.by().equals(message.node))
                .filter(sent -> !sent.type().equals("BunnyPoisoned"))
                .toList();
    }

    private List<String> unsent(Seen.Message message) {
        return published(message).stream()
                .filter(sent -> unroutable.contains(sent.type()))
                .map(sent -> "`%s` (%s)".formatted(sent.type(), sent.id()))
                .toList();
    }

    /** Whether a timeout runs is known once its alarm was handled. */
    private String typeName(Observed.Sent sent) {
        List<Seen.Message> known = nodes.stream()
                .flatMap(node -> messages(node).stream())
                .filter(message -> message.id.equals(sent.id()))
                .toList();
        return known.stream()
                .filter(message -> message.state == State.HANDLED)
                .map(Seen.Message::typeName)
                .findFirst()
                .orElse(sent.type() + (known.isEmpty() && sent.type().equals("BunnyTimeout") ? "Perhaps" : ""));
    }

    private void addPublished(Seen.Message message) {
        Map<String, Set<String>> byNode = new TreeMap<>();
        for (Observed.Sent sent : published(message)) {
            if (message.state != State.HANDLED || unroutable.contains(sent.type())) {
                continue;
            }
            String by = nodes.stream()
                    .filter(node -> observed.at(node).values().stream()
                            .anyMatch(other -> other.id.equals(sent.id()) && other.state == State.HANDLED))
                    .findFirst()
                    .orElse("");
            Instant due = sent.due();
            String when =
                    due == null || due.isBefore(observed.now()) || !by.isEmpty() ? "" : ", due at " + Fact.at(due);
            byNode.computeIfAbsent(by, any -> new TreeSet<>())
                    .add("`%s` (%s)%s".formatted(typeName(sent), sent.id(), when));
        }
        byNode.forEach((by, names) ->
                add("published", message.name(), "names", names.toString(), "by", by.isEmpty() ? null : by));
    }
}
