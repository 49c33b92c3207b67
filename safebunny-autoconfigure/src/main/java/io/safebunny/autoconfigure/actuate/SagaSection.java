// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.saga.SagaQuery;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyRepair.Outcome;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The sagas in the node's store: finds, lists and repairs them. Thread-safe. */
final class SagaSection {

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
            EnumSet.of(SagaStatus.ACTIVE, SagaStatus.COMPENSATING, SagaStatus.STUCK, SagaStatus.COMPENSATION_FAILED),
            "ended",
            EnumSet.of(SagaStatus.COMPLETED, SagaStatus.FAILED),
            "all",
            EnumSet.allOf(SagaStatus.class));

    private final Sagas sagas;
    private final SagaViews views;
    private final Predicate<SecurityContext> showsStates;
    private final Audit audit;
    private final Timeline timeline;

    SagaSection(Sagas sagas, SagaViews views, Predicate<SecurityContext> showsStates, Audit audit, Timeline timeline) {
        this.sagas = sagas;
        this.views = views;
        this.showsStates = showsStates;
        this.audit = audit;
        this.timeline = timeline;
    }

    static boolean isNamed(String[] path) {
        return path.length > 0 && path[0].equals("sagas");
    }

    /** Shows one saga with its history, or a list. */
    WebEndpointResponse<Object> look(String[] path, SagaLook asked, SecurityContext security) {
        return Answers.found(
                () -> {
                    String id = asked.id(path);
                    if (id == null) {
                        return list(asked);
                    }
                    asked.requireOne();
                    List<SagaView> found = found(id, asked.saga());
                    return found.isEmpty() ? null : views.detailed(found, showsStates.test(security));
                },
                missing(path, asked));
    }

    private Map<String, Object> list(SagaLook asked) {
        String state = Asked.oneOf(
                "state",
                asked.state() == null ? "all" : asked.state(),
                List.of("running", "stuck", BLOCKED, "ended", "all"));
        return SagaViews.page(sagas.page(new SagaQuery(
                asked.saga(),
                STATES.getOrDefault(state, Set.of()),
                state.equals(BLOCKED),
                asked.after(),
                Asked.number("limit", asked.limit(), SHOWN, MOST_SHOWN))));
    }

    private static String missing(String[] path, SagaLook asked) {
        String id = path.length > 1 ? String.join("/", List.of(path).subList(1, path.length)) : asked.sagaId();
        return "This node stores no saga with this id [id=%s]: it never started, or ended longer ago than safebunny.saga.retention. Use GET safebunny/sagas?state=running, stuck, blocked or ended for a list."
                .formatted(Names.printable(String.valueOf(id)));
    }

    private List<SagaView> found(String id, @Nullable String saga) {
        return saga == null ? sagas.find(id) : sagas.find(saga, id).stream().toList();
    }

    /** Answers with the outcome, or with SB-5025 if the saga refuses the repair. */
    WebEndpointResponse<Object> repair(String[] path, SagaLook asked, SagaRepair repair, SecurityContext security) {
        return Answers.found(
                () -> {
                    String id = Asked.present("sagaId", asked.id(path));
                    List<SagaView> found = found(id, asked.saga());
                    return found.isEmpty() ? null : repair(found, repair, security);
                },
                missing(path, asked));
    }

    private Map<String, Object> repair(List<SagaView> found, SagaRepair repair, SecurityContext security) {
        if (found.size() > 1) {
            throw Asked.wrong(
                    "saga",
                    null,
                    "several have this id, name one of "
                            + found.stream().map(SagaView::saga).toList());
        }
        SagaView before = found.get(0);
        String by = Asked.by(security);
        try {
            repair.carryOut(sagas, before.saga(), before.id());
        } catch (RuntimeException e) { // the broker may have the repair although it has not confirmed it
            audit.notRepaired(by, before, repair, e);
            throw e;
        }
        audit.repaired(by, before, repair);
        return outcome(before, repair, showsStates.test(security));
    }

    private Map<String, Object> outcome(SagaView before, SagaRepair asked, boolean shown) {
        BunnyRepair repair = asked.of(before.saga());
        Deadline deadline = Deadline.after(PATIENCE, timeline);
        SagaView now = before;
        boolean isDone = false;
        while (!isDone && !deadline.isOver() && slept()) {
            now = sagas.find(before.saga(), before.id()).orElse(now);
            isDone = isDone(before, now, repair);
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("outcome", isDone ? "DONE" : "SENT");
        answer.put(
                "note",
                isDone
                        ? ""
                        : "the broker has it, but the saga has not handled it yet: its history will tell the outcome. Look again instead of repeating it");
        answer.put("saga", views.detailed(now, shown));
        return answer;
    }

    /**
     * Whether the history says that the repair was done; false if it says nothing yet.
     *
     * @throws MisuseException SB-5025 if the history says that the saga refused the repair
     */
    private static boolean isDone(SagaView before, SagaView now, BunnyRepair repair) {
        for (Event event : now.history()) {
            Outcome outcome = before.history().contains(event) ? null : repair.outcome(event.what());
            if (outcome != null && outcome.refusal() != null) {
                throw new MisuseException(
                        MisuseException.REPAIR,
                        "The saga refused the repair [saga=%s, id=%s, action=%s]: %s. Nothing but its history was changed. Check it with GET safebunny/sagas/%s, and choose another repair, or none."
                                .formatted(now.saga(), now.id(), repair.action(), outcome.refusal(), now.id()));
            }
            if (outcome != null) {
                return true;
            }
        }
        return false;
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
