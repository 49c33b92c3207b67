// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.ScheduledMessage;
import io.safebunny.ScheduledMessages;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Names;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.node.Node;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.store.record.RecordJson;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Schedules by sending messages to the node itself; cancels and moves by conditional writes of the document. Thread-safe. */
final class StoredScheduledMessages implements ScheduledMessages {

    /** Largest stored form, in bytes, that every store accepts in addition to the rest of the record. */
    private static final int LARGEST = 256 * 1024;

    private final String node;
    private final PipelineBunny publisher;
    private final ScheduledDocuments documents;
    private final Alarms alarms;
    private final Timeline timeline;
    private final long maxMessageSize;

    StoredScheduledMessages(Node node, ScheduledDocuments documents, Alarms alarms) {
        this.node = node.name();
        this.publisher = node.publisher();
        this.documents = documents;
        this.alarms = alarms;
        this.timeline = node.timeline();
        this.maxMessageSize = node.options().maxMessageSize();
    }

    @Override
    public String schedule(Object payload, PublishOptions options) {
        if (options.delay().isZero() && options.deliverAt() == null) {
            throw new InvalidPublicationException(
                    "Nothing to wait for [class=%s]: a scheduled message needs a time. Use withDelay or withDeliverAt, or publish it with Bunny."
                            .formatted(payload.getClass().getName()));
        }
        Instant now = timeline.now();
        OutboundMessage publication = publisher.keepBack(payload, options);
        if (publication == null) {
            return Published.dropped().messageId(); // throws SB-5008
        }
        try {
            return keep(publication, now);
        } catch (RuntimeException e) {
            publication.ended(PublishOutcome.FAILED, e);
            throw e;
        }
    }

    private String keep(OutboundMessage publication, Instant now) {
        Instant deliverAt = publication.deliverAt() == null ? now.plus(publication.delay()) : publication.deliverAt();
        String id = requireId(publication);
        OutboundMessage kept = new OutboundMessage(publication.message(), publication.route(), Duration.ZERO);
        OutboundMessage message = alarms.keep(
                new BunnyScheduled(
                        RecordJson.writeOutgoing(List.of(kept)),
                        inMillis(deliverAt).toEpochMilli()),
                id,
                now);
        requireNotTooLarge(publication, message.message().body().length);
        publisher.hand(message.watchedBy((outcome, failure) ->
                publication.ended(outcome == PublishOutcome.CONFIRMED ? PublishOutcome.STORED : outcome, failure)));
        return new Handle(node, id, now).text();
    }

    /**
     * The id of the message, which must be a valid correlation id: it becomes that of the messages about it, and so the partition of its
     * document.
     */
    private static String requireId(OutboundMessage publication) {
        String id = String.valueOf(publication.message().messageId());
        if (!Names.isCorrelationId(id)) {
            throw new InvalidPublicationException(
                    "Message id too long to be scheduled [id=%s]: at most 64 characters. Use the default safebunny.ids.scheme, or shorten the ids of your own."
                            .formatted(id));
        }
        return id;
    }

    private void requireNotTooLarge(OutboundMessage publication, int size) {
        long most = Math.min(LARGEST, maxMessageSize);
        if (size > most) {
            throw new InvalidPublicationException(
                    "Message too large to be scheduled [type=%s, bytes=%s]: at most %s in the form in which it is stored. Schedule a reference to the data."
                            .formatted(publication.message().type(), size, most));
        }
    }

    /** @throws InvalidPublicationException if it is too far away */
    static Instant timeToMoveTo(Instant deliverAt, Instant now) {
        if (deliverAt.isAfter(now.plus(ScheduledOperations.LONGEST_WAIT))) {
            throw new InvalidPublicationException(
                    "Invalid instant of delivery [%s]: it must be at most 365 days from now. Use an earlier one."
                            .formatted(deliverAt));
        }
        return inMillis(deliverAt.isAfter(now) ? deliverAt : now);
    }

    /** The instant in whole milliseconds, rounded up, so that no message is early. */
    private static Instant inMillis(Instant instant) {
        return instant.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
    }

    @Override
    public boolean cancel(String handle) {
        return documents.cancel(Handle.parse(handle, node));
    }

    @Override
    public boolean move(String handle, Instant deliverAt) {
        Handle named = Handle.parse(handle, node);
        return documents.move(named, timeToMoveTo(deliverAt, timeline.now()));
    }

    @Override
    public Optional<ScheduledMessage> find(String handle) {
        String id = Handle.parse(handle, node).messageId();
        ScheduledDocument found = documents.find(id);
        return found == null ? Optional.empty() : Optional.of(found.view(id));
    }
}
