// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.audit.KeptEvents;
import io.safebunny.autoconfigure.actuate.audit.KeptEvents.Kept;
import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.poison.ElsewhereViews;
import io.safebunny.autoconfigure.actuate.poison.Outcomes;
import io.safebunny.message.Names;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.OtherInstances.Operation;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.saga.Sagas;
import io.safebunny.time.Timeline;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * Who did what, and what came of it: from the application's audit events if it keeps them, otherwise what this instance remembers. Only
 * events of SafeBunny are shown, only to users who may see them, and none of single messages, unless they are asked for. Thread-safe, if the
 * repository is.
 */
final class AuditSection implements Section {

    private static final int SHOWN = 100;
    private static final int MOST_SHOWN = 500;
    private static final int MOST_VALUES = 20;

    private static final String OPERATION = "operation";
    private static final String FAILURE = "failure";
    private static final String REFUSED = "REFUSED";
    private static final String LOOK = "LOOK";
    private static final String LOOKS = "looks";
    private static final String ELSEWHERE = "elsewhere";
    private static final Set<String> MOVES = Set.of("REPLAY", "DISCARD", "RESTORE");

    private static final String OTHERS = "other instances do not tell each other who did what, nor why";

    private static final String HIDDEN =
            "User %s may not see who did what. Log in as a user with one of management.endpoint.safebunny.roles (any user if there are none), or set management.endpoint.safebunny.show-audit: when-authorized, the default, shows it to such users, and always to everybody who reaches this endpoint.";

    private final KeptEvents events;
    private final Predicate<SecurityContext> shows;
    private final PoisonMessages poison;
    private final Sagas sagas;
    private final Supplier<OtherInstances> others;
    private final String instance;
    private final Timeline timeline;

    /**
     * @param shows whether a user may see who did what
     * @param others what the other instances have said lately of their operations; does not wait if they have
     */
    AuditSection(
            KeptEvents events,
            Predicate<SecurityContext> shows,
            PoisonMessages poison,
            Sagas sagas,
            Supplier<OtherInstances> others,
            String instance,
            Timeline timeline) {
        this.events = events;
        this.shows = shows;
        this.poison = poison;
        this.sagas = sagas;
        this.others = others;
        this.instance = instance;
        this.timeline = timeline;
    }

    /** What somebody wants to see; {@code null} for any. */
    private record Wanted(
            @Nullable String by,
            @Nullable String action,
            @Nullable String about,
            @Nullable Instant after) {

        boolean isOf(AuditEvent event) {
            String type = event.getType();
            return type.startsWith(Audit.PREFIX)
                    && (action == null ? !type.endsWith(Audit.OF_ONE_MESSAGE) : type.equals(Audit.PREFIX + action))
                    && (by == null || by.equals(event.getPrincipal()))
                    && (after == null || !event.getTimestamp().isBefore(after))
                    && (about == null || event.getData().values().stream().anyMatch(value -> contains(value, about)));
        }

        boolean isOf(Operation operation) {
            return (action == null || action.equals(operation.kind().name()))
                    && (after == null || !operation.begunAt().isBefore(after));
        }

        private static boolean contains(Object value, String part) {
            return String.valueOf(value).toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
        }
    }

    @Override
    public Set<String> looksBy() {
        return Set.of("by", "action", "about", "after", LOOKS, ELSEWHERE, "limit");
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (!path.isEmpty()) {
            return null;
        }
        if (!shows.test(user)) {
            return Answers.forbidden(HIDDEN.formatted(Names.printable(Asked.by(user))));
        }
        int limit = Asked.number("limit", asked.get("limit"), SHOWN, MOST_SHOWN);
        Wanted wanted = new Wanted(
                asked.get("by"),
                asked.get("action"),
                asked.get("about"),
                asked.containsKey("after") ? Asked.instant("after", asked.get("after"), Instant.EPOCH) : null);
        Kept kept = events.find(wanted.by(), wanted.action(), wanted.after());
        if (wanted.action() != null) {
            Asked.absent(LOOKS, asked.get(LOOKS), "the action says what is shown");
        }
        boolean showsOthers = Asked.flag(ELSEWHERE, asked.get(ELSEWHERE));
        if (showsOthers) {
            Asked.absent("by", wanted.by(), OTHERS);
            Asked.absent("about", wanted.about(), OTHERS);
        }
        boolean hidesLooks = !Asked.flag(LOOKS, asked.get(LOOKS), true);
        List<AuditEvent> all = kept.events().stream()
                .filter(wanted::isOf)
                .sorted(Comparator.comparing(AuditEvent::getTimestamp).reversed())
                .toList();
        List<AuditEvent> found = all.stream()
                .filter(event -> !hidesLooks || !action(event).equals(LOOK))
                .toList();
        List<AuditEvent> latest = found.stream().limit(limit).toList();
        Outcomes outcomes = new Outcomes(poison, others);
        RepairResults repairs = new RepairResults(sagas);
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("instance", instance);
        view.put("asOf", timeline.now());
        view.put("kept", kept.by());
        view.put("note", kept.note());
        view.put("actions", Audit.TYPES);
        view.put(
                "events",
                latest.stream().map(event -> shown(event, outcomes, repairs)).toList());
        view.put("truncated", found.size() > limit);
        view.put("hiddenLooks", all.size() - found.size());
        if (showsOthers) {
            view.put(ELSEWHERE, ElsewhereViews.begun(others.get(), wanted::isOf));
        }
        return view;
    }

    private static String action(AuditEvent event) {
        return event.getType().substring(Audit.PREFIX.length());
    }

    private static Map<String, Object> shown(AuditEvent event, Outcomes outcomes, RepairResults repairs) {
        Map<String, Object> data = new LinkedHashMap<>();
        event.getData().entrySet().stream()
                .limit(MOST_VALUES)
                .forEach(entry -> data.put(Audit.text(entry.getKey()), Audit.text(entry.getValue())));
        String action = action(event);
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("at", event.getTimestamp());
        view.put("by", Audit.text(event.getPrincipal()));
        view.put("action", Audit.text(action));
        view.put("data", data);
        if (data.containsKey(FAILURE)) {
            view.put("result", action.endsWith(REFUSED) ? REFUSED : "FAILED");
            view.put("detail", data.get(FAILURE));
            return view;
        }
        view.put("result", result(action));
        if (RepairResults.isRepair(action)) {
            repairs.add(view, event);
        }
        if (data.containsKey(OPERATION)) {
            String id = String.valueOf(data.get(OPERATION));
            outcomes.add(view, action, id, MOVES.contains(action));
        }
        return view;
    }

    /** What is known of an action without more. */
    private static String result(String action) {
        if (action.equals(REFUSED)) {
            return REFUSED;
        }
        if (action.equals(LOOK)) {
            return "SHOWN";
        }
        return MOVES.contains(action) ? "BEGUN" : RepairResults.isRepair(action) ? "SENT" : "DONE";
    }
}
