// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.MessageContext;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.observation.Metrics;
import io.safebunny.scheduling.ScheduledDocument.Alarm;
import io.safebunny.scheduling.ScheduledDocument.Status;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stores scheduled messages, and publishes one when its alarm comes and it is due. The publication is part of the alarm's completion, so it
 * happens once. Thread-safe.
 */
final class ScheduledInvoker implements HandlerInvoker {

    private static final Duration UNTIL_A_NEWER_VERSION_TAKES_IT = Duration.ofMinutes(1);

    private final String node;
    private final CurrentHandling current;
    private final Alarms alarms;
    private final Timeline timeline;
    private final Metrics metrics;
    /** How long a cancellation is remembered if it arrives before its message. */
    private final Duration retention;

    ScheduledInvoker(Node node, Alarms alarms) {
        this.node = node.name();
        this.current = node.current();
        this.alarms = alarms;
        this.timeline = node.timeline();
        this.metrics = node.metrics();
        this.retention = node.options().retention();
    }

    /** A message that is being handled, and the document that it concerns. */
    private record Visit(
            Handling handling,
            String id,
            @Nullable MessageRecord stored,
            @Nullable ScheduledDocument document,
            Instant now) {

        void save(ScheduledDocument next) {
            handling.join(next.write(stored, id, handling.message().id()));
        }
    }

    @Override
    public void invoke(Object payload, MessageContext context) {
        Handling handling = current.get();
        if (handling == null) {
            throw new MisuseException(
                    MisuseException.NOT_RUNNING,
                    "Only the handler of a node stores scheduled messages. Use ScheduledMessages to schedule one.");
        }
        String id = context.correlationId();
        MessageRecord stored = handling.companion(ScheduledDocument.key(id));
        Visit visit = new Visit(handling, id, stored, stored == null ? null : read(stored), timeline.now());
        BunnyScheduled scheduled = (BunnyScheduled) payload;
        if (scheduled.publication() == null) {
            ring(visit, context.messageId());
        } else {
            keep(visit, publication(scheduled.publication(), id), scheduled.deliverAt());
        }
    }

    private static ScheduledDocument read(MessageRecord stored) {
        try {
            return ScheduledDocument.read(stored);
        } catch (UnreadableRecordException e) {
            throw NotHandledException.later(
                    "A newer version of SafeBunny wrote scheduled message %s"
                            .formatted(stored.key().correlationId()),
                    UNTIL_A_NEWER_VERSION_TAKES_IT);
        }
    }

    private void keep(Visit visit, OutboundMessage publication, long deliverAt) {
        ScheduledDocument known = visit.document;
        if (known == null) {
            requireYoung(visit);
            count(visit, "scheduled");
            waitOrPublish(visit, publication, Instant.ofEpochMilli(deliverAt), scheduledAt(visit));
        } else if (known.status() == Status.EXPECTED && known.deliverAt() != null) {
            count(visit, "scheduled");
            waitOrPublish(visit, publication, known.deliverAt(), scheduledAt(visit));
        } else { // scheduled again with the same key: written again, so that this handle, too, works for the whole
            // retention
            visit.save(known);
        }
    }

    private void requireYoung(Visit visit) {
        long age = visit.now.toEpochMilli() - visit.handling.message().sentAt();
        if (age >= retention.toMillis()) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_OLD,
                    "Message was scheduled too long ago [id=%s, age=%s, safebunny.dedup.retention=%s]: whether it was cancelled meanwhile is no longer known. Schedule it again if it was not."
                            .formatted(visit.id, Duration.ofMillis(age), retention));
        }
    }

    /** Handles an alarm. Ignores it unless the document still waits for this very alarm. */
    private void ring(Visit visit, String token) {
        ScheduledDocument known = visit.document;
        if (known != null
                && known.alarm() != null
                && known.alarm().token().equals(token)
                && known.publication() != null
                && known.deliverAt() != null) {
            waitOrPublish(visit, known.publication(), known.deliverAt(), known.scheduledAt());
        }
    }

    /** When the message that brings it to the store was made. */
    private static Instant scheduledAt(Visit visit) {
        return Instant.ofEpochMilli(visit.handling.message().sentAt());
    }

    private void waitOrPublish(
            Visit visit, OutboundMessage publication, Instant deliverAt, @Nullable Instant scheduledAt) {
        if (deliverAt.isAfter(visit.now)) {
            Alarm alarm = alarms.next(deliverAt, visit.now);
            visit.handling.collect(alarms.message(alarm, visit.id, visit.now));
            visit.save(ScheduledDocument.waiting(deliverAt, alarm, publication, scheduledAt));
        } else {
            visit.handling.collect(sentAt(visit.now, publication, deliverAt));
            visit.save(ScheduledDocument.ended(Status.PUBLISHED, deliverAt, visit.now));
            count(visit, "published");
        }
    }

    private void count(Visit visit, String outcome) {
        visit.handling.whenWritten(() -> metrics.scheduled(outcome));
    }

    /**
     * Accepts only publications of this node, so that write access to its queue does not let others publish in the name of another node.
     */
    private OutboundMessage publication(String stored, String id) {
        try {
            List<OutboundMessage> all = RecordJson.readOutgoing(stored);
            WireMessage message = all.size() == 1 ? all.get(0).message() : null;
            String type = message == null ? null : message.type();
            if (message != null
                    && type != null
                    && !MessageTypes.isReserved(type)
                    && id.equals(message.messageId())
                    && node.equals(message.appId())) {
                return new OutboundMessage(message, new Route.ToSubscribers(Names.address(node, type)), Duration.ZERO);
            }
        } catch (IllegalArgumentException e) {
            throw new InvalidMessageException(
                    PoisonReason.MALFORMED_BODY,
                    "Not a scheduled message [id=%s]: unreadable. Use ScheduledMessages to schedule one.".formatted(id),
                    e);
        }
        throw new InvalidMessageException(
                PoisonReason.MALFORMED_BODY,
                "Not a scheduled message [id=%s]: it must be one publication of node %s with that id. Use ScheduledMessages to schedule one."
                        .formatted(id, node));
    }

    /** @param deliverAt when it was to be sent in the end: a message that was moved has its deadline moved with it */
    private static OutboundMessage sentAt(Instant now, OutboundMessage publication, Instant deliverAt) {
        WireMessage kept = publication.message();
        Map<String, Object> headers = new LinkedHashMap<>(kept.headers());
        if (headers.get(Headers.DEADLINE) instanceof Number deadline
                && headers.get(Headers.SENT_AT) instanceof Number due) {
            headers.put(Headers.DEADLINE, deadline.longValue() + deliverAt.toEpochMilli() - due.longValue());
        }
        headers.put(Headers.MADE_AT, headers.getOrDefault(Headers.SENT_AT, 0L));
        headers.put(Headers.SENT_AT, now.toEpochMilli());
        return new OutboundMessage(
                new WireMessage(
                        kept.messageId(),
                        kept.correlationId(),
                        kept.type(),
                        kept.appId(),
                        now.getEpochSecond(),
                        kept.contentType(),
                        kept.contentEncoding(),
                        kept.priority(),
                        headers,
                        kept.body()),
                publication.route(),
                Duration.ZERO);
    }
}
