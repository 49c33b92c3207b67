// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.message.HeaderBytes;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.IncomingMessage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Builds poison copies: the original bytes and properties, and the reason why the message was set aside. Pure. */
public final class PoisonCopies {

    /** Limits of the exception's message and stack trace: all headers and properties together must fit into one frame (128 KiB). */
    private static final int MAX_MESSAGE = 1_000;

    private static final int MAX_STACKTRACE = 8_000;

    /** Leaves room in the frame for the properties, each of which has at most 255 bytes. */
    private static final int MAX_HEADERS = 124 * 1024;

    /** What surely can be written. No reference to a body has more characters. */
    private static final Pattern SHORT_ASCII = Pattern.compile("[!-~]{1,250}");

    private PoisonCopies() {}

    /** @param told the failure, reduced to what may be shown */
    public static WireMessage of(
            IncomingMessage incoming, PoisonReason reason, Throwable failure, Throwable told, Instant now) {
        WireMessage original = incoming.message();
        Map<String, Object> headers = Headers.copied(original.headers());
        headers.put(Headers.POISON_REASON, reason.wireName());
        headers.put(Headers.POISON_QUEUE, incoming.queue());
        headers.put(Headers.POISONED_AT, now.toEpochMilli());
        headers.put(Headers.POISON_DIGEST, PoisonDigest.of(original));
        headers.put(Headers.ORIGINAL_EXCHANGE, incoming.exchange());
        headers.put(Headers.ORIGINAL_ROUTING_KEY, incoming.routingKey());
        headers.put(Headers.EXCEPTION_TYPE, failure.getClass().getName());
        headers.put(Headers.EXCEPTION_MESSAGE, cut(String.valueOf(told.getMessage()), MAX_MESSAGE));
        if (!(failure instanceof InvalidMessageException)) { // the trace would only show our own check
            headers.put(Headers.EXCEPTION_STACKTRACE, middleCut(stackTrace(told), MAX_STACKTRACE));
        }
        for (String ours : List.of(Headers.EXCEPTION_STACKTRACE, Headers.EXCEPTION_MESSAGE)) {
            if (HeaderBytes.of(headers) > MAX_HEADERS) { // the sender's headers take precedence
                headers.remove(ours);
            }
        }
        return original.withHeaders(headers);
    }

    /**
     * A copy without the sender's properties and headers, for a message whose properties cannot be written again. It keeps where its body is,
     * if that is elsewhere.
     */
    static WireMessage bare(IncomingMessage incoming, PoisonReason reason, Instant now) {
        Map<String, Object> headers = new LinkedHashMap<>(Map.of(
                Headers.POISON_REASON, reason.wireName(),
                Headers.POISON_QUEUE, incoming.queue(),
                Headers.POISONED_AT, now.toEpochMilli(),
                Headers.POISON_DIGEST, PoisonDigest.of(incoming.message())));
        for (String name : List.of(Headers.CLAIM, Headers.CLAIM_SHA256, Headers.CLAIM_LENGTH)) {
            Object value = incoming.message().headers().get(name);
            if (value instanceof Number
                    || (value instanceof String text
                            && SHORT_ASCII.matcher(text).matches())) {
                headers.put(name, value);
            }
        }
        return new WireMessage(
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                headers,
                incoming.message().body());
    }

    /**
     * The notice to nodes with sagas that a message is set aside; {@code null} if the message cannot belong to a saga. It is a separate
     * message: if the poison copy itself were also routed to those nodes' queues, it would never be unroutable, and nobody would notice
     * that the poison queue is missing.
     *
     * @param message as its poison copy describes it
     */
    static @Nullable WireMessage notice(String node, WireMessage message, PoisonReason reason, Instant now) {
        String id = message.messageId();
        String sagaId = message.correlationId();
        String type = message.type();
        if (id == null
                || sagaId == null
                || type == null
                || !Names.isMessageId(id)
                || !Names.isCorrelationId(sagaId)
                || !Names.isType(type)) {
            return null;
        }
        Map<String, Object> headers = new LinkedHashMap<>();
        for (String number : List.of(Headers.SENT_AT, Headers.POISON_VERSION)) {
            if (message.headers().get(number) instanceof Number value) {
                headers.put(number, value);
            }
        }
        if (message.headers().get(Headers.RESENT_AT) instanceof Number resentAt) { // not an earlier sending
            headers.put(Headers.SENT_AT, resentAt);
        }
        if (message.headers().get(Headers.CAUSATION_ID) instanceof String cause && Names.isMessageId(cause)) {
            headers.put(Headers.CAUSATION_ID, cause);
        }
        headers.put(Headers.POISON_REASON, reason.wireName());
        headers.put(Headers.POISONED_AT, now.toEpochMilli());
        return new WireMessage(id, sagaId, type, node, now.getEpochSecond(), null, null, headers, new byte[0]);
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** Keeps the beginning, and the end, which shows the root cause. */
    private static String middleCut(String text, int length) {
        int end = length / 3;
        return text.length() <= length
                ? text
                : text.substring(0, length - end) + "\n\t…\n" + text.substring(text.length() - end);
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length) + "…";
    }
}
