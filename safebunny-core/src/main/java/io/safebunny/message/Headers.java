// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.failure.InvalidPublicationException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
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
 * Header names of the wire contract, and the rules for which headers of an incoming message are carried on: the application's own
 * scalars, the trace context and, in copies, headers that a later version of SafeBunny may have added. Everything else ({@code
 * CC}, {@code x-death}, {@code __TypeId__}, …) is neither forwarded nor trusted.
 */
public final class Headers {

    public static final String MARKER = "sb-marker";
    public static final String CAUSATION_ID = "sb-causation-id";
    public static final String ATTEMPT = "sb-attempt";
    public static final String SENT_AT = "sb-sent-at";
    public static final String MADE_AT = "sb-made-at";

    /** Copies carry it like those of later versions: nobody reads it but who tells sagas of what was set aside. */
    public static final String RESENT_AT = "sb-resent-at";

    public static final String UNDOES = "sb-undoes";
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

    private static final int MAX_COUNT = 100;
    private static final int MAX_BYTES = 32 * 1024;

    /**
     * Limit of {@link #later}, enough for ids, numbers and flags. All headers of a poison copy, with the application's and the
     * reason, must fit into one frame.
     */
    private static final int MAX_LATER_BYTES = 8 * 1024;

    private static final List<String> KNOWN = List.of(MARKER, CAUSATION_ID, ATTEMPT, SENT_AT, UNDOES);

    /** Of a text in one of SafeBunny's own headers, which is perhaps what made the message invalid. */
    private static final int LONGEST_COPIED = 1_000;

    private static final Set<String> RESERVED =
            Set.of("cc", "bcc", TRACEPARENT, TRACESTATE, "__typeid__", "__contenttypeid__", "__keytypeid__");

    private static final Set<String> OF_ONE_ROUTING = Set.of("cc", "bcc", "x-delivery-count", "x-acquired-count");

    private Headers() {}

    /** The application's own headers of an incoming message. Others, and those beyond the size limits, are dropped. */
    public static Map<String, Object> application(Map<String, Object> wire) {
        return scalars(wire, name -> !isReserved(name), MAX_BYTES);
    }

    /**
     * SafeBunny headers of an incoming message that this version does not know. An instance of a later version may have written
     * them, so copies carry them, unread. Leaves out those of delays and poison copies, which describe one copy and are written
     * anew for each. Likewise {@link #MADE_AT}, which matters to traces only.
     */
    public static Map<String, Object> later(Map<String, Object> wire) {
        return scalars(wire, Headers::isOfLaterVersion, MAX_LATER_BYTES);
    }

    /**
     * What a copy keeps of an incoming message, whose headers nobody needs to have checked: those of the application and of later
     * versions, the trace context, and SafeBunny's own about the message itself. Nothing that would have the broker do something.
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
                && !name.startsWith("sb-poison-")
                && !name.startsWith("sb-poisoned-");
    }

    private static Map<String, Object> scalars(Map<String, Object> wire, Predicate<String> isWanted, int maxBytes) {
        if (wire.isEmpty()) {
            return Map.of();
        }
        Map<String, Object> own = null;
        int bytes = 0;
        for (Map.Entry<String, Object> header : wire.entrySet()) {
            Object value = header.getValue();
            if (!isWanted.test(header.getKey()) || !isScalar(value)) {
                continue;
            }
            bytes += size(header.getKey(), value);
            if (bytes > maxBytes) {
                break;
            }
            if (own == null) {
                own = new LinkedHashMap<>();
            }
            own.put(header.getKey(), value);
            if (own.size() == MAX_COUNT) {
                break;
            }
        }
        return own == null ? Map.of() : Collections.unmodifiableMap(own);
    }

    /** The trace context of an incoming message, as far as it is valid. */
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

    /** @throws InvalidPublicationException when there is a header that an application may not set */
    public static void requirePublishable(Map<String, Object> headers) {
        if (headers.isEmpty()) {
            return;
        }
        if (headers.size() > MAX_COUNT) {
            throw new InvalidPublicationException("Too many headers [count=%s]: at most %s. Put data into the payload."
                    .formatted(headers.size(), MAX_COUNT));
        }
        int bytes = 0;
        for (Map.Entry<String, Object> header : headers.entrySet()) {
            bytes += requirePublishable(header.getKey(), header.getValue());
        }
        if (bytes > MAX_BYTES) {
            throw new InvalidPublicationException(
                    "Headers too large [bytes=%s]: at most %s. Put data into the payload.".formatted(bytes, MAX_BYTES));
        }
    }

    private static int requirePublishable(String name, @Nullable Object value) {
        if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > 255) {
            throw new InvalidPublicationException(
                    "Invalid header name [%s]: it must have 1 to 255 bytes.".formatted(Names.printable(name)));
        }
        if (!Names.isUnicode(name) || (value instanceof String text && !Names.isUnicode(text))) {
            throw new InvalidPublicationException(
                    "Invalid header [%s]: its name or value contains an unpaired surrogate (half of a character), which would become a question mark. Cut text between characters, or send bytes in the payload."
                            .formatted(Names.printable(name)));
        }
        if (isReserved(name)) {
            throw new InvalidPublicationException(
                    "Reserved header name [%s]: names that begin with sb- or x-, and those of the trace and type headers, belong to the library and the broker. Choose another name."
                            .formatted(Names.printable(name)));
        }
        if (!isScalar(value)) {
            throw new InvalidPublicationException(
                    "Unsupported header value [header=%s, class=%s]: headers are String, Boolean, Date or numbers (a BigDecimal with a scale of 0 to 255 and 31 bits). Put structured data into the payload."
                            .formatted(
                                    Names.printable(name),
                                    value == null ? "null" : value.getClass().getName()));
        }
        return size(name, value);
    }

    /** Whether the header makes the broker route the message elsewhere too, or is what it counts of deliveries from one queue. */
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

    private static int size(String name, @Nullable Object value) {
        return name.length() + (value instanceof String text ? text.length() * 3 : 16);
    }

    static @Nullable String text(Map<String, Object> headers, String name) {
        return headers.get(name) instanceof String text ? text : null;
    }
}
