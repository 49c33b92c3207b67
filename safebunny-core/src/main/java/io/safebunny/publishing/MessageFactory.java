// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.BunnyMessage;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.handler.Validity;
import io.safebunny.identity.IdScheme;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.Priority;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns a publication into a message: gives it its ids, its bytes and its route. Thread-safe. */
public final class MessageFactory {

    /** The priority that a class gives its messages. */
    private static final ClassValue<Integer> PRIORITIES = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            BunnyMessage message = type.getDeclaredAnnotation(BunnyMessage.class);
            return message == null ? BunnyMessage.NO_PRIORITY : message.priority();
        }
    };

    private final PublishingOptions options;
    private final Identifier identifier;
    private final MessageSerializer serializer;
    private final Timeline timeline;
    private final Metrics metrics;

    public MessageFactory(
            PublishingOptions options, IdScheme ids, MessageSerializer serializer, Timeline timeline, Metrics metrics) {
        this.options = options;
        this.identifier = new Identifier(options.node(), ids, timeline.random());
        this.serializer = serializer;
        this.timeline = timeline;
        this.metrics = metrics;
    }

    String routingKeyOf(PublishCall publication) {
        return Names.address(options.node(), publication.type());
    }

    /** @throws InvalidPublicationException if it is too large or invalid, or cannot be serialized */
    OutboundMessage create(PublishCall publication, Map<String, String> trace) {
        Identifier.requireWait(publication);
        Instant deadline = deadline(publication);
        @Nullable Integer priority = priority(publication);
        byte[] body = serializer.serialize(publication.payload());
        requireNotTooLarge(publication, body);
        Envelope envelope = identifier.identify(
                publication,
                Observations.w3c(trace),
                dueAt(publication).toEpochMilli(),
                serializer.contentType(),
                body);
        WireMessage wire = withDeadline(encoded(publication, envelope), deadline);
        if (priority != null) {
            wire = wire.withPriority(priority);
        }
        metrics.published(publication.type(), wire.body());
        OutboundMessage message = new OutboundMessage(
                        wire, new Route.ToSubscribers(routingKeyOf(publication)), publication.delay())
                .withDroppedIfUnheard(publication.options.isDroppedIfUnheard());
        return publication.deliverAt() == null ? message : message.deliveredAt(dueAt(publication), publication.delay());
    }

    /** When the message is due, in whole milliseconds, like the times that are sent and stored; rounded up, so that no message is early. */
    private Instant dueAt(PublishCall publication) {
        Instant due = publication.deliverAt();
        return due == null
                ? timeline.now().plus(publication.delay())
                : due.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
    }

    /**
     * In whole milliseconds, rounded down, so that no message is handled too late; {@code null} if the message has none.
     *
     * @throws InvalidPublicationException if the message could never be handled, or its deadline is too far away
     */
    private @Nullable Instant deadline(PublishCall publication) {
        Instant given = publication.options.deadline();
        Duration lasts = Validity.of(publication.payload().getClass()).lasts();
        if (given == null && lasts == null) {
            return null;
        }
        Instant due = dueAt(publication);
        if (given == null) {
            return due.plus(lasts).truncatedTo(ChronoUnit.MILLIS);
        }
        if (!given.truncatedTo(ChronoUnit.MILLIS).isAfter(due)) {
            throw new InvalidPublicationException(
                    "Invalid deadline [type=%s, deadline=%s, due=%s]: it must be later than when the message is due, or it could never be handled. Use a later one, or do not publish the message."
                            .formatted(publication.type(), given, due));
        }
        if (given.isAfter(due.plus(Validity.LONGEST))) {
            throw new InvalidPublicationException(
                    "Invalid deadline [type=%s, deadline=%s, due=%s]: it must be at most 365 days after the message is due. Use an earlier one, or none: is it in the right unit?"
                            .formatted(publication.type(), given, due));
        }
        return given.truncatedTo(ChronoUnit.MILLIS);
    }

    /** {@code null} if the message has none. */
    private static @Nullable Integer priority(PublishCall publication) {
        Integer given = publication.options.priority();
        int priority = given == null ? PRIORITIES.get(publication.payload().getClass()) : given;
        if (given == null && priority == BunnyMessage.NO_PRIORITY) {
            return null;
        }
        if (priority < Priority.LOWEST || priority > Priority.HIGHEST) {
            throw new InvalidPublicationException(
                    "Invalid priority [type=%s, priority=%s, from=%s]: it must be %s to %s. Messages without one count as %s; higher ones go first."
                            .formatted(
                                    publication.type(),
                                    priority,
                                    given == null ? "@BunnyMessage" : "PublishOptions",
                                    Priority.LOWEST,
                                    Priority.HIGHEST,
                                    Priority.NORMAL));
        }
        return priority;
    }

    private static WireMessage withDeadline(WireMessage wire, @Nullable Instant deadline) {
        if (deadline == null) {
            return wire;
        }
        Map<String, Object> headers = new LinkedHashMap<>(wire.headers());
        headers.put(Headers.DEADLINE, deadline.toEpochMilli());
        return wire.withHeaders(headers);
    }

    /** Checks both the decoded size and the size on the wire, because receivers limit both. */
    private void requireNotTooLarge(PublishCall publication, byte[] body) {
        if (body.length > options.maxMessageSize()) {
            throw new InvalidPublicationException(
                    "Message too large [type=%s, bytes=%s]: it must have at most %s. Publish a reference to the data, or raise safebunny.max-message-size on all nodes that see it."
                            .formatted(publication.type(), body.length, options.maxMessageSize()));
        }
    }

    private WireMessage encoded(PublishCall publication, Envelope envelope) {
        BodyCodec codec = options.codec();
        if (codec == null) {
            return envelope.toWire();
        }
        byte[] body = codec.encode(envelope);
        requireNotTooLarge(publication, body);
        return envelope.toWire(codec.encoding(), body);
    }
}
