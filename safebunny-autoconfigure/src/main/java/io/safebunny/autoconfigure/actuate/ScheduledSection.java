// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.scheduling.ScheduledOperations;
import io.safebunny.scheduling.ScheduledOperations.Entry;
import io.safebunny.scheduling.ScheduledOperations.Page;
import io.safebunny.scheduling.ScheduledOperations.Query;
import io.safebunny.time.Timeline;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** The scheduled messages of the node: lists them, cancels, moves, and has one run now. Never shows a body. Thread-safe. */
final class ScheduledSection implements Section {

    private static final int SHOWN = 50;
    private static final int MOST_SHOWN = 100;
    private static final int LONGEST_REASON = 400;

    private static final String TYPE = "type";
    private static final String CORRELATION = "correlation";
    private static final String MESSAGE_ID = "messageId";
    private static final String DUE_AT = "dueAt";
    private static final String AFTER = "after";
    private static final String LIMIT = "limit";

    private static final String OFF =
            "Node %s keeps no scheduled messages. Set safebunny.scheduling.enabled=true, which needs a store (safebunny.store.type). What is published with a delay, and not scheduled, waits in the broker, where it can be neither listed nor cancelled.";

    private final @Nullable ScheduledOperations scheduled;
    private final String node;
    private final Sagas sagas;
    private final Audit audit;
    private final Timeline timeline;

    /** @param scheduled {@code null} if the node keeps none */
    ScheduledSection(
            @Nullable ScheduledOperations scheduled, String node, Sagas sagas, Audit audit, Timeline timeline) {
        this.scheduled = scheduled;
        this.node = node;
        this.sagas = sagas;
        this.audit = audit;
        this.timeline = timeline;
    }

    /** What is done to a message. */
    private enum Action {
        CANCEL,
        MOVE,
        RUN
    }

    /**
     * @param at {@code null} to cancel it
     * @param seen when it was due as the user has seen it; {@code null} for whenever
     */
    private record Change(
            Action action, @Nullable Instant at, @Nullable Instant seen, String reason) {}

    @Override
    public Set<String> looksBy() {
        return Set.of(TYPE, CORRELATION, MESSAGE_ID, AFTER, LIMIT);
    }

    @Override
    public Set<String> changesBy() {
        return Set.of("action", "at", DUE_AT, MESSAGE_ID, "reason");
    }

    @Override
    public Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        String id = id(path, asked);
        if (id != null) {
            List.of(TYPE, CORRELATION, AFTER, LIMIT)
                    .forEach(name -> Asked.absent(name, asked.get(name), "it is for lists only"));
            return shown(found(present(), id));
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("present", scheduled != null);
        if (scheduled == null) {
            view.put("note", OFF.formatted(node));
            return view;
        }
        Page page = scheduled.page(new Query(
                asked.get(TYPE),
                asked.get(CORRELATION),
                asked.get(AFTER),
                Asked.number(LIMIT, asked.get(LIMIT), SHOWN, MOST_SHOWN)));
        view.put(
                "messages",
                page.messages().stream().map(ScheduledSection::shown).toList());
        view.put("scanned", page.scanned());
        view.put("next", page.next());
        view.put("crowded", page.crowded());
        return view;
    }

    /** The id from the path, or from the parameter if no path can have it, such as two dots; {@code null} if neither has one. */
    private static @Nullable String id(List<String> path, Map<String, String> asked) {
        if (path.isEmpty()) {
            return asked.get(MESSAGE_ID);
        }
        Asked.absent(MESSAGE_ID, asked.get(MESSAGE_ID), "the path says it");
        return String.join("/", path);
    }

    private ScheduledOperations present() {
        if (scheduled == null) {
            throw new MisuseException(MisuseException.SCHEDULING, OFF.formatted(node));
        }
        return scheduled;
    }

    /** @throws MisuseException SB-5013 if there is none; it says so if the id is a saga's */
    private Entry found(ScheduledOperations all, String id) {
        try {
            return all.get(id);
        } catch (MisuseException e) {
            String with = sagasWith(id);
            if (with.isEmpty()) {
                throw e;
            }
            throw new MisuseException(
                    MisuseException.SCHEDULING,
                    "No scheduled message has this id [id=%1$s], but a saga has: %2$s. Its timeouts are its own, and nobody else moves or cancels them, because it would go on waiting for them. Repair the saga: POST safebunny/sagas/%1$s with the action fail ends it and undoes its steps; GET safebunny/sagas/%1$s shows its timeouts. What it has scheduled is found with GET safebunny/scheduled?correlation=%1$s."
                            .formatted(Names.printable(id), with),
                    e);
        }
    }

    private String sagasWith(String id) {
        try {
            return sagas.find(id).stream().map(SagaView::saga).collect(Collectors.joining(", "));
        } catch (MisuseException e) { // the node has no sagas, or this is no id of one
            return "";
        }
    }

    private static Map<String, Object> shown(Entry entry) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", entry.messageId());
        view.put("status", entry.status());
        view.put(TYPE, entry.type());
        view.put("correlationId", entry.correlationId());
        view.put(DUE_AT, entry.deliverAt());
        view.put("scheduledAt", entry.scheduledAt());
        view.put("causationId", entry.causationId());
        view.put("endedAt", entry.endedAt());
        return view;
    }

    @Override
    public Object change(List<String> path, Map<String, String> asked, SecurityContext user) {
        ScheduledOperations all = present();
        Change change = change(asked);
        Entry before = found(all, Asked.present(MESSAGE_ID, id(path, asked)));
        String by = Asked.by(user);
        Map<String, Object> data = audited(before, change);
        Entry after;
        try {
            after = carryOut(all, before.messageId(), change, by);
        } catch (RuntimeException e) { // the store may have written it although it has not answered
            data.put("failure", Audit.text(String.valueOf(e.getMessage())));
            boolean isRefused = e instanceof MisuseException;
            audit.tell(by, "SCHEDULED_" + change.action + (isRefused ? "_REFUSED" : "_FAILED"), data);
            throw e;
        }
        audit.tell(by, "SCHEDULED_" + change.action, data);
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("note", note(change));
        view.put("message", shown(after));
        return view;
    }

    private Change change(Map<String, String> asked) {
        Action action = Action.valueOf(Asked.oneOf("action", asked.get("action"), List.of("cancel", "move", "run"))
                .toUpperCase(Locale.ROOT));
        String at = asked.get("at");
        Instant now = timeline.now();
        if (action != Action.MOVE) {
            Asked.absent("at", at, "it is for the action move only");
        }
        Instant to = action == Action.MOVE ? Asked.instant("at", Asked.present("at", at), now) : now;
        if (to.isBefore(now)) {
            throw Asked.wrong("at", at, "it is in the past. Use the action run to have it sent now");
        }
        if (to.isAfter(now.plus(ScheduledOperations.LONGEST_WAIT))) {
            throw Asked.wrong("at", at, "it must be at most 365 days from now");
        }
        return new Change(
                action,
                action == Action.CANCEL ? null : to,
                asked.containsKey(DUE_AT) ? Asked.instant(DUE_AT, asked.get(DUE_AT), now) : null,
                Asked.text("reason", Asked.reason(asked.get("reason")), LONGEST_REASON));
    }

    private static Entry carryOut(ScheduledOperations all, String id, Change change, String by) {
        return change.at == null
                ? all.cancel(id, change.seen, by, change.reason)
                : all.move(id, change.seen, change.at, by, change.reason);
    }

    private static Map<String, Object> audited(Entry before, Change change) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put(MESSAGE_ID, before.messageId());
        putKnown(data, TYPE, before.type());
        putKnown(data, "correlationId", before.correlationId());
        putKnown(data, DUE_AT, before.deliverAt());
        putKnown(data, "at", change.action == Action.MOVE ? change.at : null);
        data.put("reason", Audit.text(change.reason));
        return data;
    }

    private static void putKnown(Map<String, Object> data, String name, @Nullable Object value) {
        if (value != null) {
            data.put(name, value.toString());
        }
    }

    private static String note(Change change) {
        return switch (change.action) {
            case CANCEL ->
                "it will never be published, nor will what is scheduled with the same idempotency key, until safebunny.dedup.retention is over";
            case MOVE -> "";
            case RUN ->
                "it is due now, and goes out when the node has handled its wake-up call: look at it again to see it published. If it stays, check whether the type BunnyScheduled is paused";
        };
    }
}
