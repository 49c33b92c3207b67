// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.handling.Surrounding;
import io.safebunny.identity.Ancestry;
import io.safebunny.identity.IdScheme;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.identity.RandomIds;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import java.time.Duration;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Gives a publication its correlation id, parent, marker and id. Thread-safe. */
final class Identifier {

    private static final Duration LONGEST_DELAY = Duration.ofDays(365);

    private final String node;
    private final IdScheme scheme;
    private final RandomGenerator random;

    /** @param random makes the ids of publications outside handlers that have no key; repeats of these are not recognised */
    Identifier(String node, IdScheme scheme, RandomGenerator random) {
        this.random = random;
        this.node = node;
        this.scheme = scheme;
    }

    /** The node's scheme, with its secret, if it is a lineage scheme; otherwise the default lineage scheme. */
    static LineageIdScheme lineage(IdScheme scheme) {
        return scheme instanceof LineageIdScheme lineage ? lineage : new LineageIdScheme();
    }

    /** The marker after the parent's. Does not overflow, even if the parent's marker is the largest integer. */
    static int markerAfter(Envelope parent) {
        return Math.max(parent.marker(), parent.marker() + 1);
    }

    /** @throws InvalidPublicationException when an option or header is invalid */
    Envelope identify(
            PublishCall publication,
            Map<String, String> trace,
            long sentAt,
            Map<String, Object> carried,
            String contentType,
            byte[] body) {
        Headers.requirePublishable(publication.headers());
        Surrounding surrounding = publication.surrounding;
        Envelope parent = surrounding == null ? null : surrounding.message();
        // already set for an undo, and if a middleware runs the rest of the pipeline again, which must publish the same
        // message
        String known = publication.messageId();
        String correlationId = known == null
                ? correlationId(publication, parent)
                : Objects.requireNonNull(publication.correlationId(), "set together with the id");
        int marker = parent == null ? 1 : markerAfter(parent);
        String id = known != null
                ? known
                : scheme.idOf(new Ancestry(
                        correlationId,
                        parent == null ? "" : parent.id(),
                        node,
                        publication.type(),
                        ordinalOrKey(publication, surrounding),
                        marker));
        publication.identified(id, correlationId);
        return new Envelope(
                id,
                correlationId,
                publication.type(),
                node,
                marker,
                parent == null ? null : parent.id(),
                0,
                0,
                sentAt,
                publication.undoes(),
                trace,
                asOnTheWire(publication.headers()),
                carried,
                contentType,
                List.of(),
                body);
    }

    /**
     * Copies the headers in the publisher's order: the order of {@code Map.copyOf} differs between runs, and would change the message on
     * the wire. Dates have whole seconds, as in AMQP, so that a codec sees the same ones when it decodes.
     */
    @SuppressWarnings("JavaUtilDate") // the type of timestamps in AMQP headers
    private static Map<String, Object> asOnTheWire(Map<String, Object> headers) {
        if (headers.isEmpty()) {
            return Map.of();
        }
        Map<String, Object> copy = new LinkedHashMap<>(headers);
        copy.replaceAll((name, value) ->
                value instanceof Date date ? new Date(Math.floorDiv(date.getTime(), 1000L) * 1000L) : value);
        return Collections.unmodifiableMap(copy);
    }

    private String correlationId(PublishCall publication, @Nullable Envelope parent) {
        String given = publication.options.correlationId();
        if (given != null) {
            if (!Names.isCorrelationId(given)) {
                throw new InvalidPublicationException(
                        "Invalid correlation id [%s]: it must be a UUID or match [A-Za-z0-9._:-]{1,64}."
                                .formatted(Names.printable(given)));
            }
            return given;
        }
        if (parent != null) {
            return parent.correlationId();
        }
        String key = publication.options.idempotencyKey();
        return key == null
                ? RandomIds.next(random)
                // with either scheme, because marker-mask cannot derive a correlation id from a key
                : LineageIdScheme.correlationIdOf(scheme, node, publication.type(), requireKey(key));
    }

    private String ordinalOrKey(PublishCall publication, @Nullable Surrounding surrounding) {
        String key = publication.options.idempotencyKey();
        if (key != null) {
            return requireKey(key);
        }
        return surrounding == null
                ? RandomIds.next(random)
                : Integer.toString(surrounding.nextOrdinal(publication.type()));
    }

    private static String requireKey(String key) {
        if (key.isEmpty() || key.length() > 1024) {
            throw new InvalidPublicationException(
                    "Invalid idempotency key [length=%s]: it must have 1 to 1024 characters.".formatted(key.length()));
        }
        if (!Names.isUnicode(key)) {
            throw new InvalidPublicationException(
                    "Invalid idempotency key [length=%s]: it contains an unpaired surrogate (half of a character), so other keys would give the same id. Cut text between characters, or use a key of digits and letters."
                            .formatted(key.length()));
        }
        return key;
    }

    /**
     * Refuses a delay for a message that may be dropped if unheard: it would wait on the broker, and only the broker would know later that
     * no queue is bound, but would not drop it.
     */
    private static void requireHeardAtOnce(PublishCall publication) {
        if (publication.options.isDroppedIfUnheard()
                && (publication.options.deliverAt() != null
                        || !publication.delay().isZero())) {
            throw new InvalidPublicationException(
                    "Invalid options [type=%s, delay=%s]: droppedIfUnheard() does not work for a delayed message, which waits on the broker. Use only one of them."
                            .formatted(publication.type(), publication.delay()));
        }
    }

    /** @throws InvalidPublicationException if the delay is out of range, or cannot be combined with the other options */
    static void requireWait(PublishCall publication) {
        requireHeardAtOnce(publication);
        Duration delay = publication.delay();
        if (!delay.isNegative() && delay.compareTo(LONGEST_DELAY) <= 0) {
            return;
        }
        throw new InvalidPublicationException(
                publication.options.deliverAt() == null
                        ? "Invalid delay [%s]: it must be zero to 365 days.".formatted(delay)
                        : "Invalid instant of delivery [%s]: it must be at most 365 days from now."
                                .formatted(publication.options.deliverAt()));
    }
}
