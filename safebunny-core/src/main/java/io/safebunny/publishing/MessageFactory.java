// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.BunnyMessage;
import io.safebunny.bodies.BodyStoreUnavailableException;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.Validity;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.identity.IdScheme;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.OrderKey;
import io.safebunny.message.Priority;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
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
    private final Function<Class<?>, MessageSerializer> serializers;
    private final Timeline timeline;
    private final Metrics metrics;

    /** @param serializers the serializer of a payload's class */
    public MessageFactory(
            PublishingOptions options,
            IdScheme ids,
            Function<Class<?>, MessageSerializer> serializers,
            Timeline timeline,
            Metrics metrics) {
        this.options = options;
        this.identifier = new Identifier(options.node(), ids, timeline.random());
        this.serializers = serializers;
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
        @Nullable String orderKey = orderKey(publication, priority);
        int version = BodyVersions.presentOf(publication.payload().getClass());
        MessageSerializer serializer = serializers.apply(publication.payload().getClass());
        byte[] body = serializer.serialize(publication.payload());
        requireNotTooLarge(publication, body);
        Envelope envelope = identifier.identify(
                publication,
                Observations.w3c(trace),
                dueAt(publication).toEpochMilli(),
                carried(deadline, orderKey, version),
                serializer.contentType(),
                body);
        WireMessage wire = encoded(publication, envelope).toWire();
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
     * In whole milliseconds, rounded down, so that no message is handled too late; {@code null} if the message has none. Undos have none,
     * because they must be carried out whenever they come.
     *
     * @throws InvalidPublicationException if the message could never be handled, or its deadline is too far away
     */
    private @Nullable Instant deadline(PublishCall publication) {
        Instant given = publication.options.deadline();
        Duration lasts = Validity.of(publication.payload().getClass()).lasts();
        if (publication.undoes() != null || (given == null && lasts == null)) {
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

    /** {@code null} if it is the correlation id. */
    private static @Nullable String orderKey(PublishCall publication, @Nullable Integer priority) {
        String given = publication.options.orderKey();
        String key = given == null ? OrderBy.keyOf(publication.payload()) : given;
        if (key == null) {
            return null;
        }
        if (!OrderKey.isValid(key)) {
            throw new InvalidPublicationException(
                    "Invalid order key [type=%s, key=%s, from=%s]: it must have 1 to 128 characters of [A-Za-z0-9._:-]. Use an id, or a hash of what is to be kept in order."
                            .formatted(
                                    publication.type(),
                                    Names.printable(key),
                                    given == null ? "@BunnyMessage" : "PublishOptions"));
        }
        if (priority != null) {
            throw new InvalidPublicationException(
                    "A message has either an order key or a priority [type=%s, priority=%s]: one that overtakes others is not in order. Leave one of them away."
                            .formatted(publication.type(), priority));
        }
        return key;
    }

    private static Map<String, Object> carried(@Nullable Instant deadline, @Nullable String orderKey, int version) {
        if (deadline == null && orderKey == null && version == 1) {
            return Map.of();
        }
        Map<String, Object> carried = new LinkedHashMap<>();
        if (deadline != null) {
            carried.put(Headers.DEADLINE, deadline.toEpochMilli());
        }
        if (orderKey != null) {
            carried.put(Headers.ORDER_KEY, orderKey);
        }
        if (version > 1) {
            carried.put(Headers.VERSION, version);
        }
        return Collections.unmodifiableMap(carried);
    }

    /** What a handler cannot publish for lack of keys or of a place for its body brings its message back, at no cost of an attempt. */
    private Envelope encoded(PublishCall publication, Envelope message) {
        BodyEncoding encoding = options.encodings().apply(publication.payload().getClass());
        try {
            return options.put()
                    .apply(encoding.encoded(
                            message, publication.payload(), encoded -> requireNotTooLarge(publication, encoded)));
        } catch (KeysUnavailableException e) {
            if (publication.surrounding == null) {
                throw e;
            }
            throw NotHandledException.withoutKeys(e);
        } catch (BodyStoreUnavailableException e) {
            if (publication.surrounding == null) {
                throw e;
            }
            throw NotHandledException.withoutBodies(e);
        } catch (UnknownKeyException e) { // in a handler, it says nothing of the message that is handled
            throw new InvalidPublicationException(e.messageWithoutCode(), e);
        }
    }

    /** Checks the body as serialized and after each codec, because receivers limit all of these. */
    private void requireNotTooLarge(PublishCall publication, byte[] body) {
        if (body.length > options.maxMessageSize()) {
            throw new InvalidPublicationException(
                    "Message too large [type=%s, bytes=%s]: it must have at most %s. Raise safebunny.max-message-size on all nodes that see it, with safebunny-claimcheck (docs/large-messages.md) if the broker takes no such messages; or publish a reference to the data."
                            .formatted(publication.type(), body.length, options.maxMessageSize()));
        }
    }
}
