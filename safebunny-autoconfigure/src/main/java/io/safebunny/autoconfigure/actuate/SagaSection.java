// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.incident.IncidentTests;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.saga.SagaQuery;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyRepair.Outcome;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** The sagas in the node's store: finds, lists and repairs them. Thread-safe. */
final class SagaSection implements Section {

    private static final Duration OLDEST = Duration.ofDays(3650);

    private static final int SHOWN = 50;
    private static final int MOST_SHOWN = 100;

    /** How long a response waits for the repair; the same as for an operation on one poison message. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private static final String BLOCKED = "blocked";
    private static final Map<String, Set<SagaStatus>> STATES = Map.of(
            "running",
            EnumSet.of(SagaStatus.ACTIVE, SagaStatus.COMPENSATING),
            "stuck",
            EnumSet.of(SagaStatus.STUCK, SagaStatus.COMPENSATION_FAILED),
            BLOCKED,
            EnumSet.of(SagaStatus.ACTIVE),
            "completed",
            EnumSet.of(SagaStatus.COMPLETED),
            "failed",
            EnumSet.of(SagaStatus.FAILED),
            "ended",
            EnumSet.of(SagaStatus.COMPLETED, SagaStatus.FAILED),
            "all",
            EnumSet.allOf(SagaStatus.class));

    private final Sagas sagas;
    private final SagaSupervision supervision;
    private final SagaViews views;
    private final IncidentTests tests;
    private final Audit audit;
    private final Timeline timeline;

    SagaSection(
            Sagas sagas,
            SagaSupervision supervision,
            SagaViews views,
            IncidentTests tests,
            Audit audit,
            Timeline timeline) {
        this.sagas = sagas;
        this.supervision = supervision;
        this.views = views;
        this.tests = tests;
        this.audit = audit;
        this.timeline = timeline;
    }

    @Override
    public Set<String> looksBy() {
        return Set.of("saga", "sagaId", "state", "olderThan", "after", "limit", "content", "as");
    }

    @Override
    public Set<String> changesBy() {
        return Set.of("saga", "sagaId", "action", "step", "version", "state", "reason");
    }

    /** Shows counts, a list, or one saga with its history. */
    @Override
    public Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (path.isEmpty() && asked.isEmpty()) {
            return SagaViews.counts(supervision);
        }
        return Answers.found(() -> listOrOne(id(path, asked), asked, user), missing(path, asked));
    }

    private @Nullable Object listOrOne(@Nullable String id, Map<String, String> asked, SecurityContext user) {
        if (id == null) {
            Asked.absent("as", asked.get("as"), "it is for one saga");
            Asked.absent("content", asked.get("content"), "lists have no states");
            return list(asked);
        }
        for (String name : List.of("state", "olderThan", "after", "limit")) {
            Asked.absent(name, asked.get(name), "it is for lists only");
        }
        List<SagaView> found = found(id, asked.get("saga"));
        if (IncidentTests.isAsked(asked.get("as"), asked.get("content"))) {
            return found.isEmpty() ? null : tests.ofSaga(only(found).saga(), id, user);
        }
        return found.isEmpty() ? null : views.detailed(found, user, Asked.flag("content", asked.get("content"), true));
    }

    /** The id from the path, or from the parameter if no path can have it, such as two dots; {@code null} if neither has one. */
    private static @Nullable String id(List<String> path, Map<String, String> asked) {
        if (path.isEmpty()) {
            return asked.get("sagaId");
        }
        Asked.absent("sagaId", asked.get("sagaId"), "the path says it");
        return String.join("/", path);
    }

    private Map<String, Object> list(Map<String, String> asked) {
        String state = Asked.oneOf(
                "state",
                asked.getOrDefault("state", "all"),
                List.of("running", "stuck", BLOCKED, "completed", "failed", "ended", "all"));
        return SagaViews.page(sagas.page(new SagaQuery(
                asked.get("saga"),
                STATES.getOrDefault(state, Set.of()),
                state.equals(BLOCKED),
                before(asked.get("olderThan")),
                asked.get("after"),
                Asked.number("limit", asked.get("limit"), SHOWN, MOST_SHOWN))));
    }

    private @Nullable Instant before(@Nullable String olderThan) {
        if (olderThan == null) {
            return null;
        }
        Duration age = Asked.duration("olderThan", olderThan);
        if (age.isNegative() || age.compareTo(OLDEST) > 0) {
            throw Asked.wrong("olderThan", olderThan, "it must be 0s to 3650d");
        }
        return timeline.now().minus(age);
    }

    private static String missing(List<String> path, Map<String, String> asked) {
        String id = path.isEmpty() ? asked.get("sagaId") : String.join("/", path);
        return "This node stores no saga with this id [id=%s]: it never started, or ended longer ago than safebunny.saga.retention. Use GET safebunny/sagas?state=running, stuck, blocked or ended for a list."
                .formatted(Names.printable(String.valueOf(id)));
    }

    private List<SagaView> found(String id, @Nullable String saga) {
        return saga == null ? sagas.find(id) : sagas.find(saga, id).stream().toList();
    }

    /** Repairs one; the answer is the outcome, or SB-5025 if the saga refuses it. */
    @Override
    public Object change(List<String> path, Map<String, String> asked, SecurityContext user) {
        return Answers.found(
                () -> {
                    SagaRepair repair = SagaRepair.from(asked);
                    List<SagaView> found = found(Asked.present("sagaId", id(path, asked)), asked.get("saga"));
                    return found.isEmpty() ? null : repair(found, repair, user);
                },
                missing(path, asked));
    }

    private Map<String, Object> repair(List<SagaView> found, SagaRepair repair, SecurityContext user) {
        SagaView before = only(found);
        String state = repair.state();
        if (state != null) {
            views.requireNoMask(before, state, user);
        }
        String by = Asked.by(user);
        String sent;
        try {
            sent = repair.carryOut(sagas.by(by), before.saga(), before.id());
        } catch (RuntimeException e) { // the broker may have the repair although it has not confirmed it
            Map<String, Object> data = repair.audited(before);
            data.put("failure", Audit.text(String.valueOf(e.getMessage())));
            audit.tell(by, "SAGA_" + repair.action() + "_FAILED", data);
            throw e;
        }
        Map<String, Object> done = repair.audited(before);
        done.put(RepairResults.REPAIR, sent);
        audit.tell(by, "SAGA_" + repair.action(), done);
        try {
            return outcome(before, repair, sent, user);
        } catch (MisuseException e) { // the saga has refused it
            Map<String, Object> data = repair.audited(before);
            data.put("failure", Audit.text(String.valueOf(e.getMessage())));
            audit.tell(by, "SAGA_" + repair.action() + "_REFUSED", data);
            throw e;
        }
    }

    private static SagaView only(List<SagaView> found) {
        if (found.size() > 1) {
            throw Asked.wrong(
                    "saga",
                    null,
                    "several have this id, name one of "
                            + found.stream().map(SagaView::saga).toList());
        }
        return found.get(0);
    }

    private Map<String, Object> outcome(SagaView before, SagaRepair asked, String repair, SecurityContext user) {
        Deadline deadline = Deadline.after(PATIENCE, timeline);
        SagaView now = before;
        boolean isDone = false;
        while (!isDone && !deadline.isOver() && slept()) {
            now = sagas.find(before.saga(), before.id()).orElse(now);
            isDone = isDone(now, asked, repair);
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put(RepairResults.REPAIR, repair);
        answer.put("outcome", isDone ? "DONE" : "SENT");
        answer.put("needsPerson", isDone && SagaRepair.needsPerson(now));
        answer.put(
                "note",
                isDone
                        ? asked.note(now)
                        : "the broker has it, but the saga has not handled it yet: its history will tell the outcome. Look again instead of repeating it");
        answer.put("saga", views.detailed(now, user, false)); // nobody has asked to see the state
        return answer;
    }

    /**
     * Whether the history says that the repair was done; false if it says nothing yet.
     *
     * @throws MisuseException SB-5025 if the history says that the saga refused the repair
     */
    private static boolean isDone(SagaView now, SagaRepair asked, String repair) {
        Outcome outcome = BunnyRepair.outcome(now.history(), repair, asked.reason());
        if (outcome != null && outcome.refusal() != null) {
            throw new MisuseException(
                    MisuseException.REPAIR,
                    "The saga refused the repair [saga=%s, id=%s, action=%s]: %s. Nothing but its history was changed. Check it with GET safebunny/sagas/%s, and choose another repair, or none."
                            .formatted(now.saga(), now.id(), asked.action(), outcome.refusal(), now.id()));
        }
        return outcome != null;
    }

    private boolean slept() {
        try {
            timeline.sleep(BETWEEN_LOOKS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
