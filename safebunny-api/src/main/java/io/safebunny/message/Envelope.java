// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.LinkedHashMap;
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
        String contentType,
        byte[] body) {

    /** The same message as its next delayed retry. */
    public Envelope nextAttempt() {
        return atAttempt(attempt + 1);
    }

    /** The same message as the given delayed retry; 0 is the first delivery. */
    public Envelope atAttempt(int number) {
        return number == attempt
                ? this
                : new Envelope(
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
                        contentType,
                        body);
    }

    /** The same message with this body. */
    public Envelope withBody(byte[] other) {
        return new Envelope(
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
                contentType,
                other);
    }

    /** The wire form of a new message, with the headers of the wire contract and the application's own. */
    public WireMessage toWire() {
        return toWire(null, null, Map.of(), body);
    }

    /** Like {@link #toWire()}, with an encoded body. */
    public WireMessage toWire(String encoding, byte[] encoded) {
        return toWire(encoding, null, Map.of(), encoded);
    }

    /**
     * The wire form of a copy. Keeps the bytes, encoding and priority of the delivered message, and headers of later versions of
     * SafeBunny.
     *
     * @param delivered the message from which this envelope was read
     */
    public WireMessage toCopyOf(WireMessage delivered) {
        return toWire(
                delivered.contentEncoding(),
                delivered.priority(),
                Headers.later(delivered.headers()),
                delivered.body());
    }

    private WireMessage toWire(
            @Nullable String encoding, @Nullable Integer priority, Map<String, Object> later, byte[] bytes) {
        Map<String, Object> all = new LinkedHashMap<>(headers.size() + trace.size() + later.size() + 8);
        all.putAll(later);
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
