// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.audit;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.time.Timeline;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes audit events: one for each operation, one for each look at content, one for each change that is refused for the lack of a right
 * and, for operations on poison messages, one for each message moved, with the same id. Events contain no payload, no state and no header.
 * Looks and refusals are logged, too; whoever carries a change out logs that. If a listener throws, the event is logged. Remembers the
 * latest, except those of single messages. Thread-safe.
 */
public final class Audit implements SafeBunnyEvent.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    /** What changes nothing. Nobody else logs it. */
    private static final Set<String> LOOKS = Set.of("LOOK", "REFUSED");

    /** What is done to a scheduled message. */
    private static final Set<String> SCHEDULED = Set.of("CANCEL", "MOVE", "RUN");

    /** With which the types of all events begin. */
    public static final String PREFIX = "SAFEBUNNY_";

    /** With which the types end of which there is one for each message. */
    public static final String OF_ONE_MESSAGE = "_MESSAGE";

    /** The types of all other events, without the prefix. */
    public static final Set<String> TYPES = types();

    /** How many actions are remembered, and how many looks and refusals: some hundred bytes each, two kilobytes at most. */
    public static final int REMEMBERED = 200;

    private static final int LONGEST_NAME = 100;
    private static final int LONGEST_TEXT = 500;

    private final ApplicationEventPublisher publisher;
    private final Timeline timeline;
    private final Deque<AuditEvent> actions = new ArrayDeque<>(); // guarded by this
    private final Deque<AuditEvent> looks = new ArrayDeque<>(); // guarded by this

    public Audit(ApplicationEventPublisher publisher, Timeline timeline) {
        this.publisher = publisher;
        this.timeline = timeline;
    }

    private static Set<String> types() {
        Set<String> types = new TreeSet<>(LOOKS);
        types.addAll(Set.of("PAUSE", "RESUME", "EDIT_FAILED", "CANCEL", "ERASE"));
        Stream.of(PoisonOperation.Kind.values()).forEach(kind -> types.add(kind.name()));
        for (BunnyRepair.Action repair : BunnyRepair.Action.values()) {
            Stream.of("", "_FAILED", "_REFUSED").forEach(outcome -> types.add("SAGA_" + repair + outcome));
        }
        for (String action : SCHEDULED) {
            Stream.of("", "_FAILED", "_REFUSED").forEach(outcome -> types.add("SCHEDULED_" + action + outcome));
        }
        return Collections.unmodifiableSet(types);
    }

    /** A text for the data of an event, printable and at most 500 characters. */
    public static String text(Object text) {
        return Names.printable(String.valueOf(text), LONGEST_TEXT);
    }

    /**
     * Publishes an event.
     *
     * @param by the user, or {@code anonymous}
     * @param type in capitals, without the prefix {@code SAFEBUNNY_}
     */
    public void tell(String by, String type, Map<String, Object> data) {
        tell(timeline.now(), by, type, data);
    }

    /**
     * Audits that the body or the headers of a copy were shown: of which copy, not what is in them.
     *
     * @param copy its digest
     * @param isDecrypted whether the body is encrypted in the queue, and was shown
     */
    public void lookedAtBody(String by, String messageId, String copy, boolean isDecrypted) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("content", "body");
        data.put("messageId", Names.printable(messageId));
        data.put("copy", Names.printable(copy));
        if (isDecrypted) {
            data.put("decrypted", true);
        }
        tell(by, "LOOK", data);
    }

    /** Like {@link #tell(String, String, Map)}, for something that was done at the given time. */
    public void tell(Instant at, String by, String type, Map<String, Object> data) {
        String prefixed = PREFIX + type;
        String user = Names.printable(by, LONGEST_NAME);
        if (LOOKS.contains(type)) {
            LOG.info("{} by {} {}", prefixed, user, text(data));
        }
        AuditEvent event = new AuditEvent(at, user, prefixed, data);
        if (!type.endsWith(OF_ONE_MESSAGE)) {
            remember(event, LOOKS.contains(type) ? looks : actions);
        }
        try {
            publisher.publishEvent(new AuditApplicationEvent(event));
        } catch (RuntimeException e) { // the operation is done; a failing listener must not hide its outcome
            LOG.error(
                    "Not audited, because a listener failed: {} by {} {}",
                    prefixed,
                    user,
                    data,
                    ExceptionDetails.TYPE_ONLY.logged(e));
        }
    }

    /** Whoever is refused a thousand times does not have an action forgotten. */
    private synchronized void remember(AuditEvent event, Deque<AuditEvent> latest) {
        latest.addFirst(event);
        if (latest.size() > REMEMBERED) {
            latest.removeLast();
        }
    }

    /** What this instance remembers, the last one first. */
    public synchronized List<AuditEvent> latest() {
        return Stream.concat(actions.stream(), looks.stream())
                .sorted(Comparator.comparing(AuditEvent::getTimestamp).reversed())
                .toList();
    }

    @Override
    public void on(SafeBunnyEvent event) {
        if (event instanceof SafeBunnyEvent.MessageMoved moved) {
            Map<String, Object> data = new LinkedHashMap<>();
            data.put("operation", moved.operation());
            data.put("to", moved.to());
            data.put("type", String.valueOf(moved.type()));
            data.put("messageId", String.valueOf(moved.messageId()));
            data.put("correlationId", String.valueOf(moved.correlationId()));
            tell(moved.occurredAt(), moved.by(), moved.kind() + OF_ONE_MESSAGE, data);
        }
    }
}
