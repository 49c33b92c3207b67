// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A valid message: everything SafeBunny knows about it, checked. Immutable; the body is not copied and must not be changed.
 *
 * @param node publishing node, empty if a foreign publisher did not name one
 * @param marker position in the saga, from 1
 * @param attempt delayed retries so far according to the header, which may be forged
 * @param poisonVersion in a replay, the version of the message's record when it was set aside; 0 if this is no replay or has no
 *     version
 * @param sentAt milliseconds since the epoch, 0 when unknown
 * @param undoes in an undo, the id of the message whose effects it undoes: a step of a saga
 * @param trace W3C trace context headers
 * @param headers the application's own headers
 * @param carried SafeBunny's headers that are no component of their own, and those of later versions; every copy carries them, but may add,
 *     change or remove some
 * @param encodings names of the codecs that have encoded the body, in lower case, in the order in which they were applied; stays the same
 *     when the body is decoded. Empty if it was sent as serialized
 * @param secretHash by which the store recognises the decoded body, where a plain hash would tell too much of it; {@code null} for a plain
 *     hash. See {@link io.safebunny.serialization.BodyCodec#secretHash}
 */
public record Envelope(
        String id,
        String correlationId,
        String type,
        String node,
        int marker,
        @Nullable String causationId,
        int attempt,
        long poisonVersion,
        long sentAt,
        @Nullable String undoes,
        Map<String, String> trace,
        Map<String, Object> headers,
        Map<String, Object> carried,
        String contentType,
        List<String> encodings,
        byte[] body,
        byte @Nullable [] secretHash) {

    /** With a body that a plain hash recognises. */
    public Envelope(
            String id,
            String correlationId,
            String type,
            String node,
            int marker,
            @Nullable String causationId,
            int attempt,
            long poisonVersion,
            long sentAt,
            @Nullable String undoes,
            Map<String, String> trace,
            Map<String, Object> headers,
            Map<String, Object> carried,
            String contentType,
            List<String> encodings,
            byte[] body) {
        this(
                id,
                correlationId,
                type,
                node,
                marker,
                causationId,
                attempt,
                poisonVersion,
                sentAt,
                undoes,
                trace,
                headers,
                carried,
                contentType,
                encodings,
                body,
                null);
    }

    /** With nothing to carry along, and a body that a plain hash recognises. */
    public Envelope(
            String id,
            String correlationId,
            String type,
            String node,
            int marker,
            @Nullable String causationId,
            int attempt,
            long poisonVersion,
            long sentAt,
            @Nullable String undoes,
            Map<String, String> trace,
            Map<String, Object> headers,
            String contentType,
            byte[] body) {
        this(
                id,
                correlationId,
                type,
                node,
                marker,
                causationId,
                attempt,
                poisonVersion,
                sentAt,
                undoes,
                trace,
                headers,
                Map.of(),
                contentType,
                List.of(),
                body,
                null);
    }

    /** Its order key; {@code null} if that is its correlation id. */
    public @Nullable String orderKey() {
        return Headers.text(carried, Headers.ORDER_KEY);
    }

    /** The version of the body, from 1. */
    public int version() {
        return Headers.version(carried);
    }

    /**
     * What {@link #sentAt} was when the message was made, in milliseconds since the epoch; 0 when unknown. Unlike {@link #sentAt}, it is the
     * same in all copies: a message that waits in a store counts as sent when it leaves it, and a replay of what is too old as sent now.
     */
    public long madeAt() {
        return carried.get(Headers.MADE_AT) instanceof Number millis ? millis.longValue() : sentAt;
    }

    /** The same message as its next delayed retry. */
    public Envelope nextAttempt() {
        return atAttempt(attempt + 1);
    }

    /** The same message as the given delayed retry; 0 is the first delivery. */
    public Envelope atAttempt(int number) {
        return number == attempt ? this : with(number, carried, encodings, body, secretHash);
    }

    /** The same message with this body. */
    public Envelope withBody(byte[] other) {
        return with(attempt, carried, encodings, other, null);
    }

    /** The same message, whose body is recognised by this, or by a plain hash. */
    public Envelope withSecretHash(byte @Nullable [] hash) {
        return with(attempt, carried, encodings, body, hash);
    }

    /** The same message, to be encoded by these codecs in this order; its body stays as it is. */
    public Envelope withEncodings(List<String> names) {
        return with(attempt, carried, names, body, secretHash);
    }

    /** The same message, with other headers to carry along. */
    public Envelope withCarried(Map<String, Object> along) {
        return with(attempt, along, encodings, body, secretHash);
    }

    private Envelope with(
            int number, Map<String, Object> along, List<String> names, byte[] other, byte @Nullable [] hash) {
        return new Envelope(
                id,
                correlationId,
                type,
                node,
                marker,
                causationId,
                number,
                poisonVersion,
                sentAt,
                undoes,
                trace,
                headers,
                along,
                contentType,
                names,
                other,
                hash);
    }

    /** The wire form of a new message, with the headers of the wire contract and the application's own. Its body must be encoded by now. */
    public WireMessage toWire() {
        return toWire(Encodings.written(encodings), null, body);
    }

    /**
     * The wire form of a copy. Keeps the bytes, encoding and priority of the delivered message, and headers of later versions of
     * SafeBunny.
     *
     * @param delivered the message from which this envelope was read
     */
    public WireMessage toCopyOf(WireMessage delivered) {
        return toWire(delivered.contentEncoding(), delivered.priority(), delivered.body());
    }

    private WireMessage toWire(@Nullable String encoding, @Nullable Integer priority, byte[] bytes) {
        Map<String, Object> all = new LinkedHashMap<>(headers.size() + trace.size() + carried.size() + 8);
        all.putAll(carried);
        all.putAll(headers);
        all.putAll(trace);
        all.put(Headers.MARKER, marker);
        all.put(Headers.ATTEMPT, attempt);
        if (causationId != null) {
            all.put(Headers.CAUSATION_ID, causationId);
        }
        if (sentAt > 0) {
            all.put(Headers.SENT_AT, sentAt);
        }
        if (undoes != null) {
            all.put(Headers.UNDOES, undoes);
        }
        return new WireMessage(
                id,
                correlationId,
                type,
                node.isEmpty() ? null : node,
                sentAt > 0 ? sentAt / 1000 : null,
                contentType,
                encoding,
                priority,
                all,
                bytes);
    }

    @Override
    public String toString() {
        return "Envelope[%s %s, correlation %s, attempt %s, %s bytes]"
                .formatted(Names.printable(type), id, correlationId, attempt, body.length);
    }
}
