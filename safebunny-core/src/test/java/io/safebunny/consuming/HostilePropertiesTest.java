// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.Wires;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.queue.PoisonCopies;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Each header and property with each value that a client can read from the wire: it is taken, refused with its reason, or left behind,
 * and what is refused can be put into the poison queue. Whatever another exception is, it would be a defect.
 */
class HostilePropertiesTest {

    /** What they must be; any other header is never a reason to refuse. */
    private static final Map<String, Predicate<Object>> CHECKED = Map.of(
            "sb-marker", value -> isInteger(value, 1, Integer.MAX_VALUE),
            "sb-attempt", value -> isInteger(value, 0, 1_000_000),
            "sb-poisoned-at", value -> isInteger(value, 0, Long.MAX_VALUE),
            "sb-poison-version", value -> isInteger(value, 1, Long.MAX_VALUE),
            "sb-sent-at", value -> isInteger(value, 0, Long.MAX_VALUE),
            "sb-causation-id", value -> value instanceof String id && Names.isMessageId(id),
            "sb-undoes", value -> value instanceof String id && Names.isMessageId(id));

    private static final List<String> LEFT_BEHIND = List.of(
            "sb-poison-reason",
            "sb-poison-queue",
            "sb-poison-digest",
            "sb-delay",
            "sb-delay-04",
            "x-death",
            "x-first-death-queue",
            "x-delivery-count",
            "x-acquired-count",
            "x-delay",
            "x-exception-type",
            "x-exception-message",
            "x-exception-stacktrace",
            "x-original-exchange",
            "x-original-routingKey",
            "CC",
            "BCC",
            "__TypeId__",
            "spring_returned_message_correlation");

    private static boolean isInteger(Object value, long least, long most) {
        return Set.of(Byte.class, Short.class, Integer.class, Long.class).contains(value.getClass())
                && ((Number) value).longValue() >= least
                && ((Number) value).longValue() <= most;
    }

    private static List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (int length : new int[] {0, 1, 64, 65, 100, 101, 128, 129, 255, 130_000}) {
            texts.add("a".repeat(length));
        }
        texts.addAll(List.of(
                "0",
                "-1",
                "a\0b",
                "a\r\n2026-01-01 INFO forged",
                "\u001b[2J",
                "a\u202Eb\u2028c",
                "\uD83D\uDC30".repeat(40),
                "\uFFFD".repeat(85),
                "%s%n{}${jndi:ldap://localhost/a}",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
        return texts;
    }

    @SuppressWarnings("JavaUtilDate") // AMQP's timestamp
    private static List<Object> values() {
        List<Object> values = new ArrayList<>(texts());
        for (long number : new long[] {Long.MIN_VALUE, -1, 0, 1, 127, 1_000_001, 1L << 31, Long.MAX_VALUE}) {
            values.addAll(List.of((byte) number, (short) number, (int) number, number));
            values.addAll(List.of((float) number, (double) number, new Date(number)));
        }
        values.addAll(List.of(1_000_000, Float.NaN, Double.NEGATIVE_INFINITY, -0.0, Double.MIN_VALUE));
        for (int scale : new int[] {0, 1, 255}) {
            values.add(new BigDecimal(BigInteger.valueOf(Integer.MIN_VALUE), scale));
        }
        values.addAll(List.of(true, false, new byte[0], new byte[] {0, -1}));
        values.addAll(List.of(Map.of(), List.of(), List.of("a"), Map.of("queue", "q", "reason", "expired")));
        values.addAll(List.of(nestedLists(), nestedMaps()));
        return values;
    }

    /** Deeper than any stack. */
    private static Object nestedLists() {
        List<Object> nested = List.of();
        for (int depth = 0; depth < 100_000; depth++) {
            List<Object> outer = new ArrayList<>();
            outer.add(nested);
            nested = outer;
        }
        return nested;
    }

    private static Object nestedMaps() {
        Map<String, Object> nested = Map.of();
        for (int depth = 0; depth < 100_000; depth++) {
            Map<String, Object> outer = new LinkedHashMap<>();
            outer.put("n", nested);
            nested = outer;
        }
        return nested;
    }

    @Test
    void headersWithARuleAreTakenByItOrRefused() {
        CHECKED.forEach((name, rule) -> values().forEach(value -> {
            Envelope read = read(Wires.orderPlaced().withHeader(name, value));
            assertThat(read != null).as("%s of %s", name, kind(value)).isEqualTo(rule.test(value));
        }));
    }

    @Test
    void otherHeadersOfLibraryAndBrokerAreLeftBehind() {
        LEFT_BEHIND.forEach(name -> values().forEach(value -> {
            Envelope read = Objects.requireNonNull(
                    read(Wires.orderPlaced().withHeader(name, value)), () -> name + " of " + kind(value));
            assertThat(read.headers()).isEmpty();
            assertThat(read.toWire().headers()).doesNotContainKey(name);
        }));
    }

    /** Only whether it is there is of interest, and only to traces. */
    @Test
    void whenAScheduledMessageWasMadeIsNeverAReasonToRefuseIt() {
        List<Object> values = values();
        Node node = new Node(Node.ONE_ATTEMPT);
        for (int i = 0; i < values.size(); i++) {
            node.deliver(Wires.orderPlaced().with("message_id", "m-" + i).withHeader(Headers.MADE_AT, values.get(i)));
            assertThat(node.runs).as(kind(values.get(i))).hasValue(i + 1);
        }
        assertThat(node.transport.attempted()).isEmpty();
    }

    /** Its copy for the next attempt keeps what is a scalar and leaves out what is not. */
    @Test
    void whatWasScheduledAndFailsIsTriedAgainWhateverItSaysOfItsMaking() {
        List<Object> values = values();
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("failed"));
        for (int i = 0; i < values.size(); i++) {
            node.deliver(Wires.orderPlaced().with("message_id", "m-" + i).withHeader(Headers.MADE_AT, values.get(i)));
        }

        assertThat(node.transport.returned()).hasSameSizeAs(values).allSatisfy(copy -> assertThat(
                        copy.message().headers().values())
                .noneMatch(kept -> kept instanceof Map || kept instanceof List));
        assertThat(node.transport.poisoned()).isEmpty();
    }

    @Test
    void headersOfTheApplicationAreScalarsOrLeftBehindAndRefusedIfTooLarge() {
        for (String name : List.of("", "tenant", "a".repeat(255), "\r\n", "traceparent", "tracestate")) {
            values().forEach(value -> {
                if (value instanceof String text && text.length() > 100_000 && !name.startsWith("trace")) {
                    assertThatExceptionOfType(InvalidMessageException.class)
                            .isThrownBy(() -> EnvelopeReader.read(
                                    Wires.orderPlaced().withHeader(name, value).wire()))
                            .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(PoisonReason.TOO_LARGE));
                    return;
                }
                Envelope read = Objects.requireNonNull(
                        read(Wires.orderPlaced().withHeader(name, value)), () -> name + " of " + kind(value));
                assertThat(read.headers().values()).noneMatch(kept -> kept instanceof Map || kept instanceof List);
            });
        }
    }

    @Test
    void propertiesAreTakenOrRefused() {
        for (String property :
                List.of("message_id", "correlation_id", "type", "app_id", "content_type", "content_encoding")) {
            for (String text : texts()) {
                Envelope unused = read(Wires.orderPlaced().with(property, text));
            }
            Envelope unused = read(Wires.orderPlaced().with(property, null));
        }
        for (long seconds : new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE / 1000 + 1, Long.MAX_VALUE}) {
            assertThat(read(Wires.orderPlaced().with("timestamp", seconds))).isNotNull();
        }
    }

    /** @return {@code null} when it was refused with a reason */
    private static @Nullable Envelope read(Wires wires) {
        WireMessage wire = wires.wire();
        try {
            Envelope envelope = EnvelopeReader.read(wire);
            requireNoText(envelope.toString());
            return envelope;
        } catch (InvalidMessageException refusal) {
            assertThat(refusal.reason()).isIn(PoisonReason.MISSING_PROPERTY, PoisonReason.MALFORMED_BODY);
            requireNoText(String.valueOf(refusal.getMessage()));
            requireOurs(PoisonCopies.of(
                    new IncomingMessage(
                            new Origin("billing-OrderPlaced", "safebunny", "orders-OrderPlaced"), false, 0, wire),
                    refusal.reason(),
                    refusal,
                    refusal,
                    VirtualTimeline.START));
            return null;
        }
    }

    private static void requireNoText(String told) {
        assertThat(told).hasSizeLessThan(600).doesNotContain("\r", "\n", "\0", "\u001b", "\u202E", "\u2028");
    }

    private static void requireOurs(WireMessage copy) {
        assertThat(copy.headers())
                .containsEntry(Headers.POISON_QUEUE, "billing-OrderPlaced")
                .containsEntry(Headers.POISONED_AT, VirtualTimeline.START.toEpochMilli())
                .containsKeys(Headers.POISON_REASON, Headers.POISON_DIGEST, Headers.EXCEPTION_MESSAGE);
        assertThat(copy.headers().values())
                .noneMatch(value -> value instanceof Map || value instanceof List || value instanceof byte[])
                .allSatisfy(value -> assertThat(value.toString()).hasSizeLessThan(1_100));
    }

    /** Not the value, of which some cannot be printed. */
    private static String kind(Object value) {
        String text = value instanceof String || value instanceof Number ? value.toString() : "";
        return value.getClass().getSimpleName() + " " + text.substring(0, Math.min(40, text.length()));
    }
}
