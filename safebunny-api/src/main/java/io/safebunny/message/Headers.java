// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.failure.InvalidPublicationException;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Header names of the wire contract, and which headers of an incoming message are passed on: the application's own scalars, the trace
 * context and, in copies, headers that a later version of SafeBunny may have added. Everything else ({@code CC}, {@code x-death}, {@code
 * __TypeId__}, …) is neither forwarded nor trusted.
 */
public final class Headers {

    public static final String MARKER = "sb-marker";
    public static final String CAUSATION_ID = "sb-causation-id";
    public static final String ATTEMPT = "sb-attempt";
    public static final String SENT_AT = "sb-sent-at";
    public static final String MADE_AT = "sb-made-at";

    /** Copied like headers of later versions; read only to tell sagas about messages that were set aside. */
    public static final String RESENT_AT = "sb-resent-at";

    public static final String UNDOES = "sb-undoes";

    /** On the command of a saga's step. Copied like headers of later versions; read only of messages that were set aside. */
    public static final String STEP = "sb-step";

    /** Copied like headers of later versions; read only where a message is about to be handled. */
    public static final String DEADLINE = "sb-deadline";

    /** Copied like headers of later versions; read only by {@link OrderKey}. */
    public static final String ORDER_KEY = "sb-order-key";

    /** Of a message that waits for all that were delivered before it; only SafeBunny sends it. Read only by {@link OrderKey}. */
    public static final String MARK = "sb-mark";

    /** Copied like headers of later versions; read only where a body becomes a payload. */
    public static final String VERSION = "sb-version";

    /** Of a message whose body is kept in a store. Copied like headers of later versions; read only where the body is. */
    public static final String CLAIM = "sb-claim";

    public static final String CLAIM_SHA256 = "sb-claim-sha256";
    public static final String CLAIM_LENGTH = "sb-claim-length";

    /** The highest {@link #version}. */
    public static final int HIGHEST_VERSION = 1_000_000;

    public static final String POISON_REASON = "sb-poison-reason";
    public static final String POISON_QUEUE = "sb-poison-queue";
    public static final String POISONED_AT = "sb-poisoned-at";
    public static final String POISON_DIGEST = "sb-poison-digest";
    public static final String POISON_VERSION = "sb-poison-version";
    public static final String EXCEPTION_TYPE = "x-exception-type";
    public static final String EXCEPTION_MESSAGE = "x-exception-message";
    public static final String EXCEPTION_STACKTRACE = "x-exception-stacktrace";
    public static final String ORIGINAL_EXCHANGE = "x-original-exchange";
    public static final String ORIGINAL_ROUTING_KEY = "x-original-routingKey";
    public static final String TRACEPARENT = "traceparent";
    public static final String TRACESTATE = "tracestate";

    /** Limits on what an application may publish. */
    private static final int MAX_COUNT = 100;

    private static final int MAX_BYTES = 32 * 1024;

    /**
     * Limit on what is delivered to a handler. All headers of a copy, together with those for delays or for the poison reason and
     * exception, must fit into one frame (128 KiB).
     */
    private static final int MAX_DELIVERED_BYTES = 80 * 1024;

    /** Limit on {@link #later}: enough for ids, numbers and flags. */
    private static final int MAX_LATER_BYTES = 8 * 1024;

    private static final List<String> KNOWN = List.of(MARKER, CAUSATION_ID, ATTEMPT, SENT_AT, UNDOES);

    /** Maximum length of text copied from one of SafeBunny's own headers: an oversized header may be why the message is invalid. */
    private static final int LONGEST_COPIED = 1_000;

    private static final Set<String> RESERVED =
            Set.of("cc", "bcc", TRACEPARENT, TRACESTATE, "__typeid__", "__contenttypeid__", "__keytypeid__");

    private static final Set<String> OF_ONE_ROUTING = Set.of("cc", "bcc", "x-delivery-count", "x-acquired-count");

    private Headers() {}

    /** All of the application's own headers of an incoming message; the others are dropped. */
    public static Map<String, Object> application(Map<String, Object> wire) {
        return scalars(wire, name -> !isReserved(name));
    }

    /**
     * SafeBunny headers of an incoming message that this version does not know. A later version may have written them, so copies
     * carry them unread. Omits the headers of delays and poison copies, which describe one copy and are rewritten for each.
     * Includes {@link #MADE_AT} if it is a number: only traces use it, so a wrong one is no reason to refuse a message.
     */
    public static Map<String, Object> later(Map<String, Object> wire) {
        Map<String, Object> later = scalars(wire, Headers::isOfLaterVersion);
        if (later.isEmpty() || !later.containsKey(MADE_AT) || later.get(MADE_AT) instanceof Number) {
            return later;
        }
        Map<String, Object> others = new LinkedHashMap<>(later);
        others.remove(MADE_AT);
        return Collections.unmodifiableMap(others);
    }

    /**
     * Headers that a copy keeps of an incoming, possibly unchecked message: the application's, those of later versions, the trace
     * context, and SafeBunny's own about the message itself. Nothing that the broker acts on.
     */
    public static Map<String, Object> copied(Map<String, Object> wire) {
        Map<String, Object> copied = new LinkedHashMap<>(application(wire));
        copied.putAll(later(wire));
        copied.putAll(trace(wire));
        KNOWN.forEach(own -> copy(own, wire, copied));
        copy(POISON_VERSION, wire, copied);
        return copied;
    }

    private static void copy(String name, Map<String, Object> wire, Map<String, Object> copied) {
        Object value = wire.get(name);
        if (value instanceof Number) {
            copied.put(name, value);
        } else if (value instanceof String text) {
            copied.put(name, text.length() <= LONGEST_COPIED ? text : text.substring(0, LONGEST_COPIED) + "…");
        }
    }

    private static boolean isOfLaterVersion(String name) {
        return name.startsWith("sb-")
                && name.length() > "sb-".length()
                && !KNOWN.contains(name)
                && !name.equals("sb-delay")
                && !name.startsWith("sb-delay-")
                && !name.startsWith("sb-forwarded-")
                && !name.startsWith("sb-poison-")
                && !name.startsWith("sb-poisoned-");
    }

    private static Map<String, Object> scalars(Map<String, Object> wire, Predicate<String> isWanted) {
        Map<String, Object> wanted = null;
        for (Map.Entry<String, Object> header : wire.entrySet()) {
            if (isScalar(header.getValue()) && isWanted.test(header.getKey())) {
                if (wanted == null) {
                    wanted = new LinkedHashMap<>();
                }
                wanted.put(header.getKey(), header.getValue());
            }
        }
        return wanted == null ? Map.of() : Collections.unmodifiableMap(wanted);
    }

    /**
     * The application's own headers of an incoming message, after checking that its copies can carry them.
     *
     * @throws InvalidMessageException {@link PoisonReason#TOO_LARGE}
     */
    static Map<String, Object> delivered(Map<String, Object> wire) {
        Map<String, Object> application = application(wire);
        requireCopyable("Headers", HeaderBytes.of(application), MAX_DELIVERED_BYTES);
        return application;
    }

    /**
     * What is {@linkplain #later carried along} of an incoming message, after checking that its copies can carry it.
     *
     * @throws InvalidMessageException {@link PoisonReason#TOO_LARGE}
     */
    static Map<String, Object> carried(Map<String, Object> wire) {
        Map<String, Object> later = later(wire);
        requireCopyable("Headers that begin with sb-", HeaderBytes.of(later), MAX_LATER_BYTES);
        return later;
    }

    private static void requireCopyable(String which, int bytes, int most) {
        if (bytes > most) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "%s too large [bytes=%s]: it must be at most %s, or retries could not carry them. Send data in the body instead."
                            .formatted(which, bytes, most));
        }
    }

    /** The valid part of an incoming message's trace context. */
    public static Map<String, String> trace(Map<String, Object> wire) {
        String parent = text(wire, TRACEPARENT);
        if (parent == null || !TraceContext.isParent(parent)) {
            return Map.of();
        }
        String state = text(wire, TRACESTATE);
        return state == null || !TraceContext.isState(state)
                ? Map.of(TRACEPARENT, parent)
                : Map.of(TRACEPARENT, parent, TRACESTATE, state);
    }

    /** @throws InvalidPublicationException if an application may not set one of the headers, or they are too many or too large */
    public static void requirePublishable(Map<String, Object> headers) {
        if (headers.isEmpty()) {
            return;
        }
        if (headers.size() > MAX_COUNT) {
            throw new InvalidPublicationException(
                    "Too many headers [count=%s]: there must be at most %s. Put data into the payload instead."
                            .formatted(headers.size(), MAX_COUNT));
        }
        headers.forEach(Headers::requirePublishable);
        int bytes = HeaderBytes.of(headers);
        if (bytes > MAX_BYTES) {
            throw new InvalidPublicationException(
                    "Headers too large [bytes=%s]: they must have at most %s. Put data into the payload instead."
                            .formatted(bytes, MAX_BYTES));
        }
    }

    private static void requirePublishable(String name, @Nullable Object value) {
        if (name.isEmpty() || HeaderBytes.utf8(name) > 255) {
            throw new InvalidPublicationException(
                    "Invalid header name [%s]: it must have 1 to 255 bytes.".formatted(Names.printable(name)));
        }
        if (!Names.isUnicode(name) || (value instanceof String text && !Names.isUnicode(text))) {
            throw new InvalidPublicationException(
                    "Invalid header [%s]: its name or value contains an unpaired surrogate (half of a character), which would become a question mark. Cut text between characters instead, or send bytes in the payload."
                            .formatted(Names.printable(name)));
        }
        if (isReserved(name)) {
            throw new InvalidPublicationException(
                    "Reserved header name [%s]: names that begin with sb- or x-, and those of the trace and type headers, belong to the library and the broker. Use another name."
                            .formatted(Names.printable(name)));
        }
        if (!isScalar(value)) {
            throw new InvalidPublicationException(
                    "Unsupported header value [header=%s, class=%s]: headers are String, Boolean, Date or numbers (a BigDecimal with a scale of 0 to 255 and 31 bits). Use one of these, or put structured data into the payload."
                            .formatted(
                                    Names.printable(name),
                                    value == null ? "null" : value.getClass().getName()));
        }
    }

    /**
     * When the message expires, in milliseconds since the epoch; 0 for never. Undos must be carried out whenever they come, and a replay is the
     * decision of a person, so neither expires.
     *
     * @param wire headers of a message that was {@linkplain EnvelopeReader read}
     */
    public static long deadline(Map<String, Object> wire) {
        return wire.get(DEADLINE) instanceof Number millis
                        && !wire.containsKey(UNDOES)
                        && !wire.containsKey(POISONED_AT)
                ? millis.longValue()
                : 0;
    }

    /**
     * The version of the body; 1 if there is no valid one.
     *
     * @param wire headers of a message
     */
    public static int version(Map<String, Object> wire) {
        return wire.get(VERSION) instanceof Number number
                        && number.longValue() >= 1
                        && number.longValue() <= HIGHEST_VERSION
                ? number.intValue()
                : 1;
    }

    /** The same headers, without the deadline. */
    public static Map<String, Object> withoutDeadline(Map<String, Object> headers) {
        if (!headers.containsKey(DEADLINE)) {
            return headers;
        }
        Map<String, Object> others = new LinkedHashMap<>(headers);
        others.remove(DEADLINE);
        return others;
    }

    /** Whether the header describes one routing only: extra routing keys, or the broker's count of deliveries from one queue. */
    public static boolean isOfOneRouting(String name) {
        return OF_ONE_ROUTING.contains(name.toLowerCase(Locale.ROOT));
    }

    private static boolean isReserved(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith("sb-")
                || lower.startsWith("x-")
                || lower.startsWith("spring_")
                || RESERVED.contains(lower);
    }

    private static boolean isScalar(@Nullable Object value) {
        return value instanceof String
                || value instanceof Boolean
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Double
                || value instanceof Float
                || value instanceof Short
                || value instanceof Byte
                || (value instanceof BigDecimal decimal && fitsAmqp(decimal))
                || value instanceof Date;
    }

    /** AMQP 0-9-1 encodes a decimal as one octet of scale and 32 bits of digits. */
    private static boolean fitsAmqp(BigDecimal decimal) {
        return decimal.scale() >= 0
                && decimal.scale() <= 255
                && decimal.unscaledValue().bitLength() <= 31;
    }

    static @Nullable String text(Map<String, Object> headers, String name) {
        return headers.get(name) instanceof String text ? text : null;
    }
}
