// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import io.safebunny.rabbit.hostile.HostileMessage.Name;
import io.safebunny.rabbit.hostile.HostileMessage.Property;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Everything that can be wrong with a message, one at a time. */
final class Kinds {

    /** Of the wire contract, of the broker, of libraries, and of applications. */
    static final List<String> HEADERS = List.of(
            "sb-marker",
            "sb-causation-id",
            "sb-attempt",
            "sb-poisoned-at",
            "sb-sent-at",
            "sb-poison-reason",
            "sb-poison-queue",
            "sb-poison-digest",
            "sb-poison-version",
            "sb-undoes",
            "sb-delay",
            "sb-delay-04",
            "traceparent",
            "tracestate",
            "x-death",
            "x-first-death-queue",
            "x-delivery-count",
            "x-acquired-count",
            "x-delay",
            "x-exception-message",
            "x-original-exchange",
            "x-opt-delivery-time",
            "CC",
            "BCC",
            "__TypeId__",
            "spring_returned_message_correlation",
            "tenant",
            "");

    private static final List<Property> TEXTS = List.of(
            Property.CONTENT_TYPE,
            Property.CONTENT_ENCODING,
            Property.CORRELATION_ID,
            Property.REPLY_TO,
            Property.EXPIRATION,
            Property.MESSAGE_ID,
            Property.TYPE,
            Property.USER_ID,
            Property.APP_ID,
            Property.CLUSTER_ID);

    /** More than safebunny.max-message-size, less than a broker takes. */
    private static final byte[] TOO_LARGE = new byte[10 * 1024 * 1024 + 1];

    private final List<Kind> kinds = new ArrayList<>();
    private final int frame;

    private Kinds(int frame) {
        this.frame = frame;
    }

    /** @param frame bytes that the encoded properties may have at most */
    static List<Kind> all(int frame) {
        Kinds all = new Kinds(frame);
        all.headers();
        all.properties();
        all.bodies();
        all.large();
        all.spoilt();
        return all.kinds;
    }

    private void add(String name, UnaryOperator<HostileMessage> of) {
        kinds.add(new Kind(name, of));
    }

    private void headers() {
        for (String header : HEADERS) {
            Limits.fields()
                    .forEach((value, field) ->
                            add("header " + header + ": " + value, message -> message.withHeader(header, field)));
        }
        Limits.texts()
                .forEach((name, text) -> add(
                        "header named " + name,
                        message -> message.withHeader(new Name(text, 0), Octets.text("value"))));
        add("header twice", message -> message.withHeader(new Name(Octets.utf8("sb-attempt"), 0), Octets.text("x"))
                .withHeader(new Name(Octets.utf8("sb-attempt"), 1), Octets.number('I', 4, 1)));
        add(
                "x-death of a broker",
                message -> message.withHeader(
                        "x-death",
                        Octets.array(Octets.table(
                                Octets.entry("queue", Octets.text("victim-Order")),
                                Octets.entry("reason", Octets.text("delivery_limit")),
                                Octets.entry("count", Octets.number('l', 8, Long.MAX_VALUE)),
                                Octets.entry("exchange", Octets.arrays(20)),
                                Octets.entry("routing-keys", Octets.tables(20))))));
        add("poisoned and retried", message -> message.withHeader("sb-poisoned-at", Octets.number('l', 8, 1))
                .withHeader("sb-attempt", Octets.number('I', 4, 1_000_000)));
    }

    private void properties() {
        for (Property property : TEXTS) {
            Limits.texts()
                    .forEach((name, text) -> kinds.add(new Kind(
                            "property " + property + ": " + name,
                            message -> message.with(
                                    property, new Octets().shortString(text).toBytes()),
                            false,
                            property == Property.EXPIRATION)));
            add("property " + property + ": missing", message -> message.without(property));
        }
        for (long seconds : new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE / 1000 + 1, Long.MAX_VALUE}) {
            add(
                    "property TIMESTAMP: " + seconds,
                    message -> message.with(
                            Property.TIMESTAMP, new Octets().longLong(seconds).toBytes()));
        }
        for (Property property : List.of(Property.DELIVERY_MODE, Property.PRIORITY)) {
            for (int value : new int[] {0, 1, 9, 128, 255}) {
                add(
                        "property " + property + ": " + value,
                        message -> message.with(property, new byte[] {(byte) value}));
            }
        }
        for (String type : List.of("Payment", "Note", "Object", "java.lang.Runtime", "order")) {
            add("type " + type, message -> message.with(Property.TYPE, type));
        }
        for (String type : List.of(
                "text/plain",
                "application/x-java-serialized-object",
                "application/json;charset=utf-16",
                "a/b+json",
                ";",
                "application/cloudevents+json")) {
            add("content type " + type, message -> message.with(Property.CONTENT_TYPE, type));
        }
        for (String encoding : List.of("gzip", "GZIP", "deflate", "utf-8", "identity", "x".repeat(255))) {
            add("content encoding " + encoding, message -> message.with(Property.CONTENT_ENCODING, encoding));
        }
        add("reply to the broker", message -> message.with(Property.REPLY_TO, "amq.rabbitmq.reply-to"));
        add("reply to a queue", message -> message.with(Property.REPLY_TO, "victim-poison"));
    }

    private void bodies() {
        body("nothing", new byte[0]);
        body("a NUL", new byte[1]);
        body("no JSON", Octets.utf8("{\"id\""));
        body("no UTF-8", new byte[] {'{', '"', (byte) 0xC3, '(', '"', ':', '1', '}'});
        body("UTF-16", "{\"id\":\"a\"}".getBytes(StandardCharsets.UTF_16));
        for (String json : List.of(
                "null",
                "true",
                "1",
                "\"\"",
                "[]",
                "{}",
                "{\"id\":null,\"cents\":null,\"lines\":null}",
                "{\"id\":{},\"cents\":1}",
                "{\"id\":\"a\",\"cents\":1e999999999}",
                "{\"id\":\"a\",\"cents\":99999999999999999999}",
                "{\"id\":\"a\",\"cents\":\"1\"}",
                "{\"id\":\"a\",\"cents\":1} trailing",
                "{\"id\":\"a\",\"cents\":1,\"@class\":\"java.lang.Runtime\"}",
                "{\"id\":\"\\uD800\",\"cents\":1,\"lines\":[]}")) {
            body(json, Octets.utf8(json));
        }
        body("999 arrays", Octets.utf8("[".repeat(999) + "]".repeat(999)));
        body("100,000 arrays", Octets.utf8("[".repeat(100_000)));
        body("100,000 objects", Octets.utf8("{\"lines\":".repeat(100_000)));
        body("deep in a field", Octets.utf8("{\"id\":\"a\",\"x\":" + "[".repeat(50_000) + "]".repeat(50_000) + "}"));
        body("a long name", Octets.utf8("{\"" + "n".repeat(100_000) + "\":1}"));
        body("a long text", Octets.utf8("{\"id\":\"" + "t".repeat(300_000) + "\",\"cents\":1,\"lines\":[]}"));
        body("a long number", Octets.utf8("{\"id\":\"a\",\"cents\":" + "9".repeat(50_000) + "}"));
        body("line breaks and colours", Octets.utf8("\r\n\u001b[31mINFO forged\u202E\r\n"));
    }

    private void body(String name, byte[] body) {
        kinds.add(new Kind("body: " + name, message -> message.withBody(body), body.length > 10_000, false));
    }

    /** Near what one frame may hold. */
    private void large() {
        int most = frame - 2_000;
        large("one text", message -> message.withHeader("tenant", Octets.text("x".repeat(most))));
        large("one of ours", message -> message.withHeader("sb-attempt", Octets.text("x".repeat(most))));
        large("a trace", message -> message.withHeader("traceparent", Octets.text("0".repeat(most))));
        large(
                "bytes",
                message -> message.withHeader(
                        "tenant",
                        Octets.field(
                                'x', new Octets().longString(new byte[most]).toBytes())));
        nested("arrays in arrays", "x-death", Octets.arrays(most / 5));
        nested("tables in tables", "tenant", Octets.tables(most / 7));
        large("an array of nothing", message -> message.withHeader("x-death", repeated('A', "V", most)));
        large("an array of empty tables", message -> message.withHeader("x-death", repeated('A', "F\0\0\0\0", most)));
        large("a table of one name", message -> message.withHeader("tenant", repeated('F', "\1nV", most)));
        large("many numbers", message -> message.withHeaders(many(most / 8, "", new byte[] {'b', 1})));
        large(
                "33 KiB of an application",
                message -> message.withHeaders(many(101, "own-", Octets.text("\0".repeat(320)))));
        large(
                "95 headers of an application",
                message -> message.withHeaders(many(95, "own-", Octets.text("\uD83D\uDC30".repeat(20)))));
        kinds.add(new Kind("body: too large", message -> message.withBody(TOO_LARGE), true, true));
    }

    private static Map<Name, byte[]> many(int count, String prefix, byte[] field) {
        Map<Name, byte[]> headers = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            headers.put(Name.of(prefix + Integer.toString(i, 36)), field);
        }
        return headers;
    }

    private void large(String name, UnaryOperator<HostileMessage> of) {
        kinds.add(new Kind("large: " + name, of, true, false));
    }

    /** Deeper than the stack of a client, so never where the test itself is the client. */
    private void nested(String name, String header, byte[] field) {
        kinds.add(new Kind("large: " + name, message -> message.withHeader(header, field), true, true));
    }

    private static byte[] repeated(char type, String element, int most) {
        return Octets.field(
                type,
                new Octets()
                        .longString(Octets.utf8(element.repeat(most / element.length())))
                        .toBytes());
    }

    /** What is no table, or no properties. */
    private void spoilt() {
        for (char type = 'A'; type <= 'z'; type++) {
            char tag = type;
            if (Character.isLetter(tag) && "tbBsuIilfdDSxTVFA".indexOf(tag) < 0) {
                add("field of type " + tag, message -> message.withHeader("tenant", Octets.number(tag, 8, 0)));
            }
        }
        add("field without a value", message -> message.withHeader("tenant", new byte[0]));
        add(
                "text longer than its table",
                message -> message.withHeader(
                        "tenant", Octets.field('S', new Octets().longInt(99).toBytes())));
        add(
                "text of 4 GiB",
                message -> message.withHeader(
                        "tenant", Octets.field('S', new Octets().longInt(-1).toBytes())));
        add(
                "array longer than its table",
                message -> message.withHeader(
                        "tenant", Octets.field('A', new Octets().longInt(99).toBytes())));
        add(
                "array that ends within a field",
                message -> message.withHeader(
                        "tenant",
                        Octets.field(
                                'A',
                                new Octets().longString(new byte[] {'I', 0}).toBytes())));
        for (int bit : new int[] {0, 1}) {
            spoil("flag " + bit, plain -> {
                plain[1] |= (byte) (1 << bit);
                return plain;
            });
        }
        spoil("flag of a property that is not there", plain -> {
            plain[1] |= 1 << 2;
            return plain;
        });
        spoil("more than the properties", plain -> Arrays.copyOf(plain, plain.length + 7));
        spoil("properties cut off", plain -> Arrays.copyOf(plain, plain.length - 1));
        spoil("no properties", plain -> new byte[2]);
    }

    private void spoil(String name, UnaryOperator<byte[]> encoded) {
        kinds.add(new Kind(name, message -> message.spoilt(encoded), false, true));
    }
}
