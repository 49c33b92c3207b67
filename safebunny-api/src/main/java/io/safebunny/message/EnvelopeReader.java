// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static io.safebunny.message.PoisonReason.MALFORMED_BODY;
import static io.safebunny.message.PoisonReason.MISSING_PROPERTY;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads an incoming message strictly: the result is valid, and a message it refuses goes to the poison queue. Pure. */
public final class EnvelopeReader {

    private static final String JSON = "application/json";

    private EnvelopeReader() {}

    /**
     * Reads a message whose body is not encoded.
     *
     * @throws InvalidMessageException naming the property, what was found and what is needed
     */
    public static Envelope read(WireMessage wire) {
        return read(wire, encoding -> false);
    }

    /**
     * Reads a message without decoding its body.
     *
     * @param isKnown whether there is a codec of this name, in lower case
     * @throws InvalidMessageException naming the property, what was found and what is needed
     */
    public static Envelope read(WireMessage wire, Predicate<String> isKnown) {
        String id = required("message_id", wire.messageId());
        if (!Names.isMessageId(id)) {
            throw invalid("message_id", id, "[A-Za-z0-9._:-]{1,128}");
        }
        String correlationId = required("correlation_id", wire.correlationId());
        if (!Names.isCorrelationId(correlationId)) {
            throw invalid("correlation_id", correlationId, "a UUID or [A-Za-z0-9._:-]{1,64}");
        }
        String type = required("type", wire.type());
        List<String> encodings = encodings(wire.contentEncoding(), isKnown);
        Map<String, Object> headers = wire.headers();
        requireDeadline(headers);
        requireVersion(headers);
        requireOrderKey(wire);
        return new Envelope(
                id,
                correlationId,
                type,
                node(wire.appId()),
                (int) number(headers, Headers.MARKER, 1, 1, Integer.MAX_VALUE),
                messageId(headers, Headers.CAUSATION_ID),
                attempt(headers),
                poisonVersion(headers),
                sentAt(wire),
                undoes(headers, id),
                Headers.trace(headers),
                Headers.delivered(headers),
                Headers.carried(headers),
                wire.contentType() == null ? JSON : wire.contentType(),
                encodings,
                wire.body());
    }

    /** Copies carry it along. */
    private static void requireDeadline(Map<String, Object> headers) {
        long unused = number(headers, Headers.DEADLINE, 0, 1, Long.MAX_VALUE);
    }

    /** Nor is this: it is read where the body becomes a payload. */
    private static void requireVersion(Map<String, Object> headers) {
        long unused = number(headers, Headers.VERSION, 1, 1, Headers.HIGHEST_VERSION);
    }

    /** Nor is this: where messages are handled in order, {@link OrderKey} reads it. */
    private static void requireOrderKey(WireMessage wire) {
        if (wire.headers().containsKey(Headers.ORDER_KEY) && OrderKey.of(wire) == null) {
            throw invalid(Headers.ORDER_KEY, describe(wire.headers().get(Headers.ORDER_KEY)), "[A-Za-z0-9._:-]{1,128}");
        }
    }

    /** Checked before anything is decoded, because what one codec decodes to is as untrusted as what it decodes. */
    private static List<String> encodings(@Nullable String contentEncoding, Predicate<String> isKnown) {
        List<String> encodings = Encodings.of(contentEncoding);
        String fault = Encodings.fault(encodings, isKnown);
        if (fault != null) {
            throw new InvalidMessageException(
                    MALFORMED_BODY,
                    "Unsupported content_encoding [%s]: %s. Register the codecs that its sender uses as beans, or send the body unencoded."
                            .formatted(Names.printable(String.valueOf(contentEncoding)), fault));
        }
        return encodings;
    }

    /** A message replayed from the poison queue starts over at attempt 0. */
    private static int attempt(Map<String, Object> headers) {
        int attempt = (int) number(headers, Headers.ATTEMPT, 0, 0, 1_000_000);
        return isReplay(headers) ? 0 : attempt;
    }

    private static long poisonVersion(Map<String, Object> headers) {
        long version = number(headers, Headers.POISON_VERSION, 0, 1, Long.MAX_VALUE);
        return isReplay(headers) ? version : 0;
    }

    private static boolean isReplay(Map<String, Object> headers) {
        return number(headers, Headers.POISONED_AT, -1, 0, Long.MAX_VALUE) >= 0;
    }

    private static String required(String property, @Nullable String value) {
        if (value == null || value.isEmpty()) {
            throw new InvalidMessageException(
                    MISSING_PROPERTY,
                    "Missing property [%s]: every message must have message_id, correlation_id and type. Set it where the message is published."
                            .formatted(property));
        }
        return value;
    }

    private static InvalidMessageException invalid(String property, String found, String needed) {
        return new InvalidMessageException(
                MISSING_PROPERTY,
                "Invalid property [%s=%s]: it must be %s. Correct it where the message is published."
                        .formatted(property, Names.printable(found), needed));
    }

    /** The publishing node. Only informational, so an invalid name is dropped. */
    private static String node(@Nullable String appId) {
        return appId != null && Names.isNode(appId) ? appId : "";
    }

    /** A message that undoes itself would wait for itself. */
    private static @Nullable String undoes(Map<String, Object> headers, String id) {
        String undoes = messageId(headers, Headers.UNDOES);
        if (undoes != null && undoes.equals(id)) {
            throw invalid(Headers.UNDOES, undoes, "the id of another message");
        }
        return undoes;
    }

    private static @Nullable String messageId(Map<String, Object> headers, String header) {
        Object value = headers.get(header);
        if (value == null) {
            return null;
        }
        if (value instanceof String id && Names.isMessageId(id)) {
            return id;
        }
        throw invalid(header, String.valueOf(describe(value)), "a message id");
    }

    private static long sentAt(WireMessage wire) {
        long millis = number(wire.headers(), Headers.SENT_AT, 0, 0, Long.MAX_VALUE);
        Long seconds = wire.timestamp();
        if (millis == 0 && seconds != null && seconds > 0 && seconds <= Long.MAX_VALUE / 1000) {
            return seconds * 1000;
        }
        return millis;
    }

    private static long number(Map<String, Object> headers, String name, long absent, long min, long max) {
        Object value = headers.get(name);
        if (value == null) {
            return absent;
        }
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            long number = ((Number) value).longValue();
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw invalid(name, describe(value), "an integer from %s to %s".formatted(min, max));
    }

    private static String describe(@Nullable Object value) {
        return value instanceof String || value instanceof Number
                ? value.toString()
                : value == null ? "null" : value.getClass().getSimpleName();
    }
}
