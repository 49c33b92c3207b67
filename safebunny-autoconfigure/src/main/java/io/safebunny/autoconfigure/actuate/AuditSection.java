// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * Who did what, and what came of it: from the application's audit events if it keeps them, otherwise what this instance remembers. Only
 * events of SafeBunny are shown, and none of single messages, unless they are asked for. Thread-safe, if the repository is.
 */
final class AuditSection implements Section {

    private static final Logger LOG = LoggerFactory.getLogger(AuditSection.class);

    private static final int SHOWN = 100;
    private static final int MOST_SHOWN = 500;
    private static final int MOST_VALUES = 20;
    private static final Duration LOOKED_BACK = Duration.ofDays(7);

    private static final String OPERATION = "operation";
    private static final String FAILURE = "failure";
    private static final String REFUSED = "REFUSED";
    private static final Set<String> MOVES = Set.of("REPLAY", "DISCARD", "RESTORE");

    private static final String REMEMBERED =
            "These are the last %s actions on this instance since it started; each other instance has its own, and a restart forgets them. To keep them all, define a bean of type AuditEventRepository; the log has them, too."
                    .formatted(Audit.REMEMBERED);

    private final Audit audit;
    private final Supplier<@Nullable AuditEventRepository> repository;
    private final PoisonMessages poison;
    private final String instance;
    private final Timeline timeline;

    AuditSection(
            Audit audit,
            Supplier<@Nullable AuditEventRepository> repository,
            PoisonMessages poison,
            String instance,
            Timeline timeline) {
        this.audit = audit;
        this.repository = repository;
        this.poison = poison;
        this.instance = instance;
        this.timeline = timeline;
    }

    /** @param kept by whom: {@code REPOSITORY} or {@code INSTANCE} */
    private record Kept(String kept, String note, List<AuditEvent> events) {}

    /** What somebody wants to see; {@code null} for any. */
    private record Wanted(
            @Nullable String by,
            @Nullable String action,
            @Nullable String about,
            Instant after) {

        boolean isOf(AuditEvent event) {
            String type = event.getType();
            return type.startsWith(Audit.PREFIX)
                    && (action == null ? !type.endsWith(Audit.OF_ONE_MESSAGE) : type.equals(Audit.PREFIX + action))
                    && (by == null || by.equals(event.getPrincipal()))
                    && !event.getTimestamp().isBefore(after)
                    && (about == null || event.getData().values().stream().anyMatch(value -> contains(value, about)));
        }

        private static boolean contains(Object value, String part) {
            return String.valueOf(value).toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
        }
    }

    @Override
    public Set<String> looksBy() {
        return Set.of("by", "action", "about", "after", "limit");
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (!path.isEmpty()) {
            return null;
        }
        int limit = Asked.number("limit", asked.get("limit"), SHOWN, MOST_SHOWN);
        Wanted wanted = new Wanted(
                asked.get("by"),
                asked.get("action"),
                asked.get("about"),
                Asked.instant("after", asked.get("after"), timeline.now().minus(LOOKED_BACK)));
        Kept kept = kept(wanted);
        List<AuditEvent> found = kept.events().stream()
                .filter(wanted::isOf)
                .sorted(Comparator.comparing(AuditEvent::getTimestamp).reversed())
                .toList();
        Map<String, PoisonOperation> operations = operations();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("instance", instance);
        view.put("asOf", timeline.now());
        view.put("kept", kept.kept());
        view.put("note", kept.note());
        view.put(
                "actions",
                kept.events().stream()
                        .map(AuditSection::action)
                        .distinct()
                        .sorted()
                        .toList());
        view.put(
                "events",
                found.stream()
                        .limit(limit)
                        .map(event -> shown(event, operations))
                        .toList());
        view.put("truncated", found.size() > limit);
        return view;
    }

    private Kept kept(Wanted wanted) {
        AuditEventRepository present = repository.get();
        if (present == null) {
            return new Kept("INSTANCE", REMEMBERED, audit.latest());
        }
        String type = wanted.action() == null ? null : Audit.PREFIX + wanted.action();
        try {
            List<AuditEvent> events = present.find(wanted.by(), wanted.after(), type).stream()
                    .filter(event -> event.getType().startsWith(Audit.PREFIX))
                    .toList();
            return new Kept(
                    "REPOSITORY",
                    "These are kept by the application's AuditEventRepository, and shown since %s."
                            .formatted(wanted.after().truncatedTo(ChronoUnit.SECONDS)),
                    events);
        } catch (RuntimeException e) { // whatever the application's repository does
            LOG.warn(
                    "The AuditEventRepository failed, so only what this instance remembers is shown",
                    ExceptionDetails.TYPE_ONLY.logged(e));
            return new Kept(
                    "INSTANCE",
                    "The AuditEventRepository failed with %s: check it. %s"
                            .formatted(e.getClass().getName(), REMEMBERED),
                    audit.latest());
        }
    }

    private Map<String, PoisonOperation> operations() {
        try {
            return poison.operations().stream().collect(Collectors.toMap(PoisonOperation::id, Function.identity()));
        } catch (MisuseException e) { // a node without handlers has no poison queue
            return Map.of();
        }
    }

    private static String action(AuditEvent event) {
        return event.getType().substring(Audit.PREFIX.length());
    }

    private static Map<String, Object> shown(AuditEvent event, Map<String, PoisonOperation> operations) {
        Map<String, Object> data = new LinkedHashMap<>();
        event.getData().entrySet().stream()
                .limit(MOST_VALUES)
                .forEach(entry -> data.put(Audit.text(entry.getKey()), Audit.text(entry.getValue())));
        String action = action(event);
        PoisonOperation operation = operations.get(String.valueOf(data.get(OPERATION)));
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("at", event.getTimestamp());
        view.put("by", Audit.text(event.getPrincipal()));
        view.put("action", Audit.text(action));
        view.put("data", data);
        if (data.containsKey(FAILURE)) {
            view.put("result", action.endsWith(REFUSED) ? REFUSED : "FAILED");
            view.put("detail", data.get(FAILURE));
        } else if (operation != null) {
            Progress progress = operation.progress();
            view.put("result", progress.state());
            view.put("detail", "moved %s of %s".formatted(progress.moved(), progress.matched()));
            view.put(OPERATION, operation.id());
        } else {
            view.put("result", result(action));
        }
        return view;
    }

    /** What is known of an action without more. */
    private static String result(String action) {
        if (action.equals(REFUSED)) {
            return REFUSED;
        }
        if (action.equals("LOOK")) {
            return "SHOWN";
        }
        return MOVES.contains(action) ? "BEGUN" : action.startsWith("SAGA_") ? "SENT" : "DONE";
    }
}
