// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.UnknownSagaException;
import io.safebunny.message.BunnyUndone;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.BunnyPoisoned;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.story.NodeStory.State;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches nodes from outside, in front of their handlers, at their breakers and on the wire; notes what becomes of each message and saga by
 * the rules of the guide. Looks into no store. Confined to one thread.
 */
final class Observed {

    private static final Duration CROWDED = Duration.ofSeconds(8);
    private static final Duration PROBES_WAIT = Duration.ofSeconds(30);

    /**
     * A class of sagas, as its author knows it.
     *
     * @param takes node by type, of what does not only start it
     * @param blockedEnds whether it fails when a command of it was set aside
     */
    record Kind(
            String name,
            String node,
            String starts,
            Map<String, String> takes,
            @Nullable String blockedEnds) {}

    /** @param by node that sent it first */
    record Sent(
            String id,
            String type,
            String by,
            @Nullable String cause,
            @Nullable Instant due) {}

    private final Timeline timeline;
    private final List<Kind> kinds;
    private final Map<String, List<Duration>> delays;
    final Map<String, Map<String, Seen.Message>> messages = new LinkedHashMap<>();
    final Map<String, Seen.Saga> sagas = new LinkedHashMap<>();
    final Map<String, Sent> sent = new LinkedHashMap<>();
    private final Map<String, BunnyCircuitBreaker.Change> breakers = new LinkedHashMap<>();
    private final Map<String, Instant> throttled = new LinkedHashMap<>();
    private final Map<String, Seen.Pause> asked = new LinkedHashMap<>();
    /** What the running method of a saga has done so far. */
    private final List<Consumer<Seen.Saga>> deeds = new ArrayList<>();

    /** Whose publications are being sent. */
    private Seen.@Nullable Message latest;

    private boolean hasRun;
    private Seen.@Nullable Message current;
    private @Nullable Throwable noted;
    final List<Throwable> broken = new ArrayList<>();

    /** @param delays of delayed retries, by node */
    Observed(Timeline timeline, List<Kind> kinds, Map<String, List<Duration>> delays) {
        this.timeline = timeline;
        this.kinds = kinds;
        this.delays = delays;
    }

    Instant now() {
        return timeline.now();
    }

    @Nullable
    Kind kind(String saga) {
        return kinds.stream()
                .filter(kind -> kind.name().equals(saga))
                .findFirst()
                .orElse(null);
    }

    Map<String, Seen.Message> at(String node) {
        return messages.computeIfAbsent(node, any -> new LinkedHashMap<>());
    }

    /** Whether two of its alarms, or of its repairs, were handled in about the same moment. */
    boolean isCrowded(String correlationId) {
        List<Seen.Message> own = messages.values().stream()
                .flatMap(some -> some.values().stream())
                .filter(message -> message.correlationId.equals(correlationId))
                .filter(message -> message.type.equals("BunnyTimeout") || message.type.equals("BunnyRepair"))
                .toList();
        return own.stream().anyMatch(one -> own.stream()
                .anyMatch(other -> one != other
                        && one.type.equals(other.type)
                        && Duration.between(one.changedAt, other.changedAt)
                                        .abs()
                                        .compareTo(CROWDED)
                                < 0));
    }

    Seen.Message current() {
        return Objects.requireNonNull(current);
    }

    // ---- on the wire

    void sent(OutboundMessage message) {
        String id = String.valueOf(message.message().messageId());
        Sent known = sent.get(id + ' ' + message.message().correlationId());
        String by = String.valueOf(message.message().appId());
        if (known == null) {
            Seen.Message sender = latest; // what was kept for later, such as an undo, names another cause
            Object named = message.message().headers().get(Headers.CAUSATION_ID);
            boolean isAsked =
                    "BunnyRepair".equals(message.message().type()); // by somebody, and published by no handler
            Object cause = isAsked ? null : sender != null && sender.node.equals(by) ? sender.id : named;
            known = new Sent(
                    id,
                    String.valueOf(message.message().type()),
                    by,
                    cause == null ? null : cause.toString(),
                    message.deliverAt());
            sent.put(id + ' ' + message.message().correlationId(), known);
        }
    }

    /** A sweep has taken the record of a handled message, to send what it published. */
    void taken(String node, String id, String correlationId) {
        Seen.Message message = at(node).get(id + ' ' + correlationId);
        if (message != null && message.state == State.HANDLED) {
            message.sentAt = now();
        }
    }

    /** The command or undo of a saga. */
    @Nullable
    Sent sent(String correlationId, @Nullable String type) {
        return sent.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(' ' + correlationId)
                        && entry.getValue().type().equals(type))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    // ---- at the breakers

    void changed(String node, BunnyCircuitBreaker.Change change) {
        breakers.put(node + ' ' + change.type(), change);
    }

    void paused(String node, String type, Instant until, String reason, String by) {
        asked.put(node + ' ' + type, new Seen.Pause(type, true, now(), until, reason, by, null));
    }

    Seen.@Nullable Pause pause(String node, String type) {
        String key = node + ' ' + type;
        Seen.Pause operators = asked.get(key);
        BunnyCircuitBreaker.Change last = breakers.get(key);
        Instant throttledUntil = throttled.getOrDefault(key, Instant.EPOCH);
        if (operators != null && now().isBefore(Objects.requireNonNull(operators.until()))) {
            boolean both = now().isBefore(throttledUntil);
            Instant until = Objects.requireNonNull(operators.until());
            return new Seen.Pause(
                    type,
                    true,
                    operators.since(),
                    both && throttledUntil.isAfter(until) ? throttledUntil : until,
                    operators.reason(),
                    operators.by(),
                    both && last != null ? last.reason() : null);
        }
        if (last == null || last.to() == BunnyCircuitBreaker.State.CLOSED) {
            return null;
        }
        boolean open = last.to() == BunnyCircuitBreaker.State.OPEN;
        Instant until = now().isBefore(throttledUntil)
                ? throttledUntil
                : last.occurredAt().plus(PROBES_WAIT);
        return new Seen.Pause(type, open, last.occurredAt(), open ? until : null, last.reason(), null, null);
    }

    // ---- in front of the handlers

    ConsumeMiddleware watch(String node) {
        return (context, next) -> {
            Seen.Message message = begin(node, context);
            try {
                next.run();
            } catch (Exception e) {
                watched(() -> failed(message, context, e));
                throw e;
            } finally {
                current = null;
            }
            watched(() -> handled(message, context));
        };
    }

    /** A mistake of this class must not look like a failure of a handler. */
    private void watched(Runnable note) {
        try {
            note.run();
        } catch (RuntimeException | AssertionError e) {
            broken.add(e);
        }
    }

    private Seen.Message begin(String node, ConsumeContext context) {
        Seen.Message message = at(node).computeIfAbsent(
                        context.messageId() + ' ' + context.correlationId(),
                        any -> new Seen.Message(
                                node, context.messageId(), context.correlationId(), context.type(), now()));
        message.become(State.HANDLING, now());
        current = message;
        latest = null;
        noted = null;
        hasRun = false;
        deeds.clear();
        bar(node, message);
        return message;
    }

    /** An undo bars its step before it runs. */
    private void bar(String node, Seen.Message undo) {
        Seen.Saga saga = sagas.get(undo.correlationId);
        Seen.Step step = saga == null
                ? null
                : saga.steps.values().stream()
                        .filter(one -> undo.type.equals(one.undo))
                        .findFirst()
                        .orElse(null);
        Sent command = step == null ? null : sent(undo.correlationId, step.type);
        if (command == null) {
            return;
        }
        Seen.Message barred = at(node).computeIfAbsent(
                        command.id() + ' ' + undo.correlationId,
                        any -> new Seen.Message(node, command.id(), undo.correlationId, "", now()));
        if (barred.state != State.HANDLED && barred.state != State.UNDONE) {
            barred.become(State.UNDONE, now());
        }
    }

    /** A handler has thrown this, whether it is run again in memory or not. */
    void thrown(Throwable failure, @Nullable Duration inMemory) {
        deeds.clear();
        hasRun = false;
        noted = failure;
        if (failure instanceof ThrottledException pause) {
            throttled.put(current().node + ' ' + current().type, now().plus(pause.delay()));
        } else {
            current()
                    .running
                    .add(new Seen.Failure(now(), why(failure), inMemory == null ? null : now().plus(inMemory)));
        }
    }

    static String why(Throwable failure) {
        String text = failure.getMessage();
        String name = failure.getClass().getSimpleName();
        return text == null
                ? name
                : name + ": \"" + (text.length() > 200 ? text.substring(0, 200) + '…' : text).replace('"', '\'') + '"';
    }

    private void failed(Seen.Message message, ConsumeContext context, Exception failure) {
        if (failure instanceof ThrottledException || failure instanceof NotHandledException) {
            message.become(State.WAITING, now());
            return;
        }
        if (noted != failure) { // the library has refused it
            message.running.add(new Seen.Failure(now(), why(failure), null));
        }
        List<Duration> after = delays.getOrDefault(message.node, List.of());
        boolean hopeless = failure instanceof PoisonMessageException || failure instanceof InvalidMessageException;
        if (!hopeless && message.retries < after.size()) {
            Duration delay = failure instanceof RetryLaterException later ? later.delay() : after.get(message.retries);
            message.retries++;
            next(message, now().plus(delay));
            message.become(State.WAITING, now());
            return;
        }
        next(message, null);
        message.become(State.SET_ASIDE, now());
        message.poisonReason = failure instanceof InvalidMessageException invalid
                ? invalid.reason().wireName()
                : failure instanceof UnknownSagaException
                        ? "unknown-saga"
                        : hopeless ? "handler-failed" : "retries-exhausted";
        stick(message, context.payload());
    }

    /** What was decided after its latest failure. */
    private static void next(Seen.Message message, @Nullable Instant at) {
        Seen.Failure last = message.running.remove(message.running.size() - 1);
        message.running.add(new Seen.Failure(last.at(), last.why(), at));
    }

    private void stick(Seen.Message message, Object payload) {
        Seen.Saga saga = sagas.get(message.correlationId);
        if (saga == null
                || !saga.node.equals(message.node)
                || saga.status != SagaStatus.ACTIVE
                || message.poisonReason.equals("saga-stuck")) {
            return;
        }
        if (payload instanceof BunnyPoisoned news) {
            saga.stick(message, now());
            block(saga, news, null);
        } else if (payload instanceof BunnyTimeout || isTaken(saga, message.type)) {
            saga.stick(message, now());
        }
    }

    /** @param since {@code null} while nobody has told it */
    private void block(Seen.Saga saga, BunnyPoisoned news, @Nullable Instant since) {
        Seen.Message message = Objects.requireNonNull(at(news.node()).get(news.messageId() + ' ' + saga.id));
        saga.blocked.put(
                news.messageId(),
                new Seen.Blocked(news.messageId(), news.type(), news.node(), message.poisonReason, since));
    }

    private boolean isTaken(Seen.Saga saga, String type) {
        Kind kind = kind(saga.name);
        return kind != null && kind.takes().containsKey(type);
    }

    private void handled(Seen.Message message, ConsumeContext context) {
        message.become(State.HANDLED, now());
        message.sentAt = now();
        latest = message;
        Seen.Saga saga = sagas.get(message.correlationId);
        Object payload = context.payload();
        if (saga == null) {
            begin(message);
        } else if (!saga.node.equals(message.node)) {
            return;
        } else if (payload instanceof BunnyTimeout timeout) {
            message.inVain = !hasRun;
            if (hasRun) {
                Instant due = Objects.requireNonNull(saga.timeouts.remove(timeout.name()));
                act(saga);
                if (saga.reason != null) {
                    saga.timedOut = timeout.name();
                    saga.timedOutAt = now();
                    saga.timedOutDue = due;
                }
            }
        } else if (payload instanceof BunnyUndone undone) {
            undone(saga, undone);
        } else if (payload instanceof BunnyPoisoned news) {
            told(saga, news);
        } else if (payload instanceof BunnyRepair repair) {
            int before = saga.repairs.size();
            repaired(saga, repair);
            message.inVain = saga.repairs.size() == before;
        } else if (hasRun) {
            saga.taken.add(message.type);
            saga.takes++;
            act(saga);
        }
    }

    private void begin(Seen.Message message) {
        for (Kind kind : kinds) {
            if (kind.starts().equals(message.type) && kind.node().equals(message.node)) {
                Seen.Saga saga = new Seen.Saga(kind.name(), message.correlationId, kind.node(), now());
                sagas.put(message.correlationId, saga);
                act(saga);
            }
        }
    }

    private void act(Seen.Saga saga) {
        saga.changedAt = now();
        deeds.forEach(deed -> deed.accept(saga));
    }

    private void undone(Seen.Saga saga, BunnyUndone undone) {
        for (Seen.Step step : List.copyOf(saga.steps.values())) {
            Sent command = sent(saga.id, step.type);
            if (command != null && command.id().equals(undone.step())) {
                saga.changedAt = now();
                if (step.status == StepStatus.UNDOING) {
                    saga.ended(step, StepStatus.UNDONE);
                }
            }
        }
    }

    private void told(Seen.Saga saga, BunnyPoisoned news) {
        Seen.Step sender = saga.steps.values().stream()
                .filter(step -> step.type.equals(news.type()) || news.type().equals(step.undo))
                .findFirst()
                .orElse(null);
        boolean isReceiver = news.node().equals(saga.node)
                && (isTaken(saga, news.type()) || (news.type().equals("BunnyTimeout") && !saga.timeouts.isEmpty()));
        if ((sender == null && !isReceiver) || saga.status.isEnded()) {
            return;
        }
        saga.changedAt = now();
        Seen.Message aside = at(news.node()).get(news.messageId() + ' ' + saga.id);
        saga.isHeld = true;
        if (aside != null) {
            saga.heard.put(news.messageId(), new Seen.Heard(now(), saga.takes, news.node(), aside.poisonReason));
        }
        if (isReceiver
                && saga.status == SagaStatus.ACTIVE
                && aside != null
                && aside.state == State.SET_ASIDE
                && !saga.mended.contains(news.messageId())
                && !aside.poisonReason.equals("saga-stuck")) { // it was set aside before the saga had begun
            saga.stick(aside, now());
        }
        if (sender == null) {
            return;
        }
        boolean isUndo = news.type().equals(sender.undo);
        if (sender.status == (isUndo ? StepStatus.UNDOING : StepStatus.SENT)) {
            block(saga, news, now());
            if (isUndo) {
                saga.status = SagaStatus.COMPENSATION_FAILED;
            } else if (saga.status == SagaStatus.ACTIVE && hasRun) {
                act(saga);
            }
        }
    }

    private void repaired(Seen.Saga saga, BunnyRepair repair) {
        saga.changedAt = now();
        switch (repair.action()) {
            case FAIL -> {
                if (saga.status == SagaStatus.ACTIVE || saga.status == SagaStatus.STUCK) {
                    saga.fail(repair.reason());
                    done(saga, repair);
                }
            }
            case RESUME -> {
                if (saga.status == SagaStatus.STUCK) {
                    saga.mended.add(Objects.requireNonNull(saga.stuckOn).id);
                    saga.status = SagaStatus.ACTIVE;
                    saga.stuckOn = null;
                    done(saga, repair);
                }
            }
            case SKIP -> {
                Seen.Step step = saga.steps.get(String.valueOf(repair.step()));
                if (step != null && !saga.status.isEnded() && step.status == StepStatus.UNDOING) {
                    saga.ended(step, StepStatus.SKIPPED);
                    done(saga, repair);
                } else if (step != null && !saga.status.isEnded() && step.status == StepStatus.SENT) {
                    step.status = StepStatus.SKIPPED;
                    done(saga, repair);
                    Sent command = sent(saga.id, step.type);
                    saga.blocked.remove(command == null ? "" : command.id());
                }
            }
            default -> throw new AssertionError("not in this test: " + repair);
        }
    }

    private void done(Seen.Saga saga, BunnyRepair repair) {
        Seen.Repair done = new Seen.Repair(repair.action().name(), now(), repair.reason());
        saga.repairs.add(done);
        if (done.action().equals("RESUME")
                || (saga.isHeld && !saga.isStuck && done.action().equals("SKIP"))) {
            saga.again = done;
            saga.isHeld = false;
            saga.isStuck = false;
        }
    }

    // ---- in methods of sagas

    void runs() {
        deeds.clear();
        hasRun = true;
    }

    void deed(Consumer<Seen.Saga> deed) {
        deeds.add(deed);
    }
}
