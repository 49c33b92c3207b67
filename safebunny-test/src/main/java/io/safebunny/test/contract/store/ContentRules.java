// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.found;
import static io.safebunny.test.contract.store.StoreBench.key;
import static io.safebunny.test.contract.store.StoreBench.trail;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.message.WireMessage;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.test.contract.Messages;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A record is read exactly as it was written, so that its publications are the same after a crash. */
interface ContentRules {

    StoreBench bench();

    @Test
    default void keepsTheState() {
        for (RecordState state : RecordState.values()) {
            MessageRecord record = bench().created(state);
            assertThat(record.state()).isEqualTo(state);
            bench().assertStored(record);
        }
    }

    @Test
    default void keepsEveryField() {
        MessageRecord record = new MessageRecord(
                key(),
                RecordState.CLAIMED,
                "instance-7f/3b1c2d:2026-01-01T00:00:00Z#" + "x".repeat(20),
                1,
                7,
                3,
                Duration.ofMillis(30_123),
                new Fingerprint(Fingerprint.SECRET, Long.MIN_VALUE, Long.MAX_VALUE),
                Map.of("charge", "{\"amount\":1}"),
                List.of(outbound(Messages.rich("rich"))),
                null,
                null);
        MessageRecord next = new MessageRecord(
                record.key(),
                RecordState.RELEASED,
                "another",
                2,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                Duration.ofDays(400).plusMillis(1),
                new Fingerprint(Fingerprint.CHECKSUMS, Long.MAX_VALUE, 0),
                Map.of(),
                List.of(),
                null,
                null);

        MessageRecord created = bench().store().create(record);
        assertSame(created, record);
        bench().assertStored(record);
        assertSame(bench().replaced(next.withEtag(created.etag())), next);
        bench().assertStored(next);
    }

    @Test
    default void keepsSteps() {
        Map<String, String> steps = new LinkedHashMap<>();
        steps.put("charge", "{\"id\":\"a'b\\\"c\",\"amount\":1.50}");
        steps.put("Charge", "null");
        steps.put("größe 世界 🐇 'x' \"y\" \\ %_?:{}[]", "\"line\nline\r\n\ttab \u0001 \u2028 Grüße, 世界 🐇\"");
        steps.put("a\0b \uffff", "\"\0\uffff\"");
        steps.put("", "");

        assertKept(steps, List.of());
    }

    /** It is for people only, but they have nothing else. */
    @Test
    default void keepsTheTrail() {
        MessageRecord claim = claim(key(), "first").withTrail(Trail.of("OrderPlaced"));
        MessageRecord created = bench().store().create(claim);
        assertSame(created, claim);
        bench().assertStored(claim);
        MessageRecord released =
                bench().replaced(created.next(RecordState.RELEASED).withTrail(trail()));

        assertThat(released.trail()).isEqualTo(trail());
        bench().assertStored(released);
        MessageRecord again = bench().replaced(released.claimedBy("second", Duration.ofSeconds(30), 1, 0)
                .withSteps(Map.of("charge", "1")));
        bench().assertStored(again);
        assertThat(found(bench().another(), again.key()).steps()).containsOnlyKeys("charge");
        MessageRecord completed = bench().replaced(again.completed(List.of(outbound(Messages.message("published")))));
        bench().assertStored(completed);
        bench().store().replaceAll(List.of(completed.dispatched()));
        bench().assertStored(completed.dispatched());
        assertThat(found(bench().another(), again.key()).trail().published())
                .extracting(Trail.Sent::id)
                .containsExactly("published");
    }

    @Test
    default void keepsTheOrderOfPublications() {
        assertKept(
                Map.of(),
                IntStream.range(0, 50)
                        .mapToObj(i -> outbound(Messages.message("message-" + i * 7919 % 50)))
                        .toList());
    }

    @Test
    default void keepsRoutesAndDelays() {
        WireMessage message = Messages.message("routed");

        assertKept(
                Map.of(),
                Stream.of(
                                new Route.ToSubscribers("orders-OrderPlaced"),
                                new Route.ToQueue("billing-OrderPlaced"),
                                new Route.Poison("billing"))
                        .flatMap(route -> Stream.of(
                                        Duration.ZERO,
                                        Duration.ofMillis(1),
                                        Duration.ofDays(30).plusMillis(7))
                                .map(delay -> new OutboundMessage(message, route, delay)))
                        .toList());
    }

    @Test
    default void keepsPropertiesPresentAndAbsent() {
        assertKept(
                Map.of(),
                List.of(
                        outbound(Messages.rich("rich")),
                        outbound(new WireMessage(null, null, null, null, null, null, null, Map.of(), new byte[] {1})),
                        outbound(new WireMessage("", "", "", "", 0L, "", "", Map.of(), new byte[] {1}))));
    }

    @Test
    default void keepsTheTypesOfHeaders() {
        assertKept(Map.of(), List.of(outbound(Messages.message("typed", headersOfAllTypes()))));
    }

    @Test
    default void keepsBodiesByteByByte() {
        assertKept(
                Map.of(),
                Stream.of(
                                "{\"text\":\"Grüße, 世界 🐇 \\ ' \"\u2028\"}".getBytes(UTF_8),
                                "a\0b\u0001\u007f\r\n".getBytes(UTF_8),
                                "\uFEFF{}".getBytes(UTF_8),
                                new byte[0],
                                everyByte(),
                                new byte[] {'a', (byte) 0xED, (byte) 0xA0, (byte) 0x80, 'b'}, // a lone surrogate
                                new byte[] {(byte) 0xC0, (byte) 0x80}, // an overlong NUL
                                new byte[] {'a', (byte) 0xE4}) // Latin-1, or cut off
                        .map(body -> outbound(withBody(body)))
                        .toList());
    }

    @Test
    default void holdsAMegabyte() {
        OutboundMessage half =
                outbound(withBody("0123456789abcdef".repeat(16_384).getBytes(UTF_8)));

        assertKept(Map.of("large", "\"" + "ü".repeat(262_144) + "\""), List.of(half, half));
    }

    @Test
    default void refusesWhatIsTooLargeAndKeepsWhatIsThere() {
        long limit = bench().largestContent();
        assumeTrue(limit > 0, "this store has no limit");
        MessageRecord created = bench().created();
        byte[] body = new byte[Math.toIntExact(limit)];
        Arrays.fill(body, (byte) 'x');

        assertThatThrownBy(() ->
                        bench().store().replace(created.next(RecordState.COMPLETED, List.of(outbound(withBody(body))))))
                .isInstanceOf(RecordTooLargeException.class);
        assertThatThrownBy(() -> bench().store()
                        .replace(created.withSteps(Map.of("large", new String(body, UTF_8)))
                                .next(RecordState.COMPLETED)))
                .isInstanceOf(RecordTooLargeException.class);
        bench().assertStored(created);
        bench().replaced(created.next(RecordState.RELEASED));
    }

    @Test
    default void refusesForGoodWhatItCanNeverStoreAndNothingElse() {
        MessageRecord refused = bench().unstorable(claim(key(), "first"));
        MessageRecord created = bench().created();
        MessageRecord neighbour = bench().created();

        assertThatThrownBy(() -> bench().store().create(refused))
                .isInstanceOf(RecordRefusedException.class)
                .isNotInstanceOf(RecordTooLargeException.class);
        bench().assertNothingStored(refused.key());
        assertThatThrownBy(() -> bench().store().replace(bench().unstorable(created.next(RecordState.COMPLETED))))
                .isInstanceOf(RecordRefusedException.class);
        assertThatThrownBy(() ->
                        bench().store().replaceAll(List.of(bench().unstorable(created.next(RecordState.COMPLETED)))))
                .isInstanceOf(RecordRefusedException.class);
        bench().assertStored(created);
        bench().replaced(created.next(RecordState.POISONED));
        bench().replaced(neighbour.next(RecordState.COMPLETED));
    }

    private void assertKept(Map<String, String> steps, List<OutboundMessage> outgoing) {
        RecordKey key = key();
        MessageRecord created = bench().store().create(claim(key, "first"));
        MessageRecord completed = created.withSteps(steps).next(RecordState.COMPLETED, outgoing);

        MessageRecord replaced = bench().replaced(completed);

        assertSame(replaced, completed);
        bench().assertStored(completed);
        bench().assertStored(bench().replaced(replaced.next(RecordState.CLAIMED)));
        assertSame(bench().store().create(claim(key, "second")), completed.next(RecordState.CLAIMED));
    }

    private static OutboundMessage outbound(WireMessage message) {
        return new OutboundMessage(message, new Route.ToSubscribers("orders-OrderPlaced"), Duration.ZERO);
    }

    private static WireMessage withBody(byte[] body) {
        WireMessage message = Messages.message("with-body");
        return new WireMessage(
                message.messageId(),
                message.correlationId(),
                message.type(),
                message.appId(),
                message.timestamp(),
                message.contentType(),
                message.contentEncoding(),
                message.headers(),
                body);
    }

    private static byte[] everyByte() {
        byte[] body = new byte[256];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) i;
        }
        return body;
    }

    @SuppressWarnings("JavaUtilDate") // the client library's type for timestamps
    private static Map<String, Object> headersOfAllTypes() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("string", "Grüße, 世界 🐇 \" \\ \n");
        headers.put("zero", "a\0b \uffff");
        headers.put("empty", "");
        headers.put("digits", "42");
        headers.put("true", true);
        headers.put("false", false);
        headers.put("int", 42);
        headers.put("int-min", Integer.MIN_VALUE);
        headers.put("long", 42L);
        headers.put("long-max", Long.MAX_VALUE);
        headers.put("short", Short.MIN_VALUE);
        headers.put("byte", Byte.MIN_VALUE);
        headers.put("float", 0.1f);
        headers.put("float-nan", Float.NaN);
        headers.put("double", 0.1d);
        headers.put("double-whole", 1.0d);
        headers.put("double-infinity", Double.NEGATIVE_INFINITY);
        headers.put("double-zero", -0.0d);
        headers.put("decimal", new BigDecimal("-12.500"));
        headers.put("decimal-whole", new BigDecimal("7"));
        headers.put("date", new Date(1_767_225_601_000L));
        headers.put("date-before", new Date(-1_000L));
        return headers;
    }
}
