// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static io.safebunny.proof.demo.SagaBroker.contract;
import static io.safebunny.proof.demo.SagaBroker.placeOrder;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Everything a publisher can get wrong, or do on purpose, to a message for the queue {@code orders-PlaceOrder}. */
final class BadMessages {

    /** Header that identifies the message in the poison queue, where application headers are kept. */
    static final String NUMBER = "number";

    /** Routing key to which the broker would route a copy if anybody forwarded {@code CC} or {@code BCC}. */
    static final String TRAP = "trap";

    private static final String MALFORMED = "malformed-body";
    private static final String MISSING = "missing-property";

    /** One way to be bad. */
    private record Kind(String reason, Shape shape) {}

    private interface Shape {
        Sent of(String id, Map<String, Object> headers);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
    private record Sent(BasicProperties.Builder properties, byte[] body) {}

    /** A message, and why it must end in the poison queue. */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
    record Bad(int kind, String reason, BasicProperties properties, byte[] body) {}

    private static final List<Kind> KINDS = List.of(
            body(MALFORMED, "{\"orderId\": \"x\", "),
            body(MALFORMED, ""),
            body(MALFORMED, "null"),
            body(MALFORMED, "[]"),
            body(MALFORMED, "\"text\""),
            body(MALFORMED, "{}"),
            body(MALFORMED, "{\"orderId\": {\"$ne\": 1}, \"lines\": 7}"),
            body(MALFORMED, "[".repeat(5_000)),
            body(MALFORMED, "\u0000\uFFFF\u202E"),
            body(MALFORMED, new String(placeOrder("x"), StandardCharsets.UTF_8) + " trailing"),
            body(MALFORMED, new String(placeOrder("x"), StandardCharsets.UTF_8).replace(": 2,", ": -2,")),
            properties(MALFORMED, id -> contract(id).contentType("application/x-java-serialized-object")),
            properties(MALFORMED, id -> contract(id).contentType("application/json/../xml\r\nX: y")),
            properties(MALFORMED, id -> contract(id).contentEncoding("gzip")),
            properties(MISSING, id -> contract(id).messageId(null)),
            properties(MISSING, id -> contract(id).messageId("")),
            properties(MISSING, id -> contract(id).messageId("a b;drop table ledger")),
            properties(MISSING, id -> contract(id).messageId("x".repeat(255))),
            properties(MISSING, id -> contract(id).correlationId(null)),
            properties(MISSING, id -> contract(id).correlationId("../../etc/passwd")),
            properties(MISSING, id -> contract(id).type(null)),
            properties("unknown-type", id -> contract(id).type("Nonsense")),
            properties("unknown-type", id -> contract(id).type("io.safebunny.samples.orders.messages.PlaceOrder")),
            properties("unknown-type", id -> contract(id).type("java.lang.Runtime")),
            properties("unknown-type", id -> contract(id).type("\r\n\u001b[31m")),
            properties("wrong-queue", id -> contract(id).type("OrderShipped")),
            header(MISSING, "sb-attempt", "three"),
            header(MISSING, "sb-attempt", Map.of("a", 1)),
            header(MISSING, "sb-attempt", -1),
            header(MISSING, "sb-attempt", Long.MAX_VALUE),
            header(MISSING, "sb-marker", List.of(1, 2)),
            header(MISSING, "sb-marker", 1.5),
            header(MISSING, "sb-marker", 0),
            header(MISSING, "sb-sent-at", "yesterday"),
            header(MISSING, "sb-causation-id", "not an id"),
            header("too-old", "sb-sent-at", 1_000L),
            headers(MALFORMED, Map.of("CC", List.of(TRAP), "BCC", List.of(TRAP))),
            headers(MALFORMED, Map.of("x-death", List.of(Map.of("count", 9L)), "x-delivery-count", 900L)),
            headers(MALFORMED, Map.of("x-delay", 86_400_000, "sb-delay", "16", "x-match", "all")),
            headers(MALFORMED, Map.of("sb-poison-reason", "none", "x-original-exchange", "amq.direct")),
            headers(MALFORMED, Map.of("traceparent", "x".repeat(4_000), "deep", Map.of("a", Map.of()))));

    private static final int LARGE = KINDS.size();

    private BadMessages() {}

    private static Kind body(String reason, String body) {
        return new Kind(reason, (id, headers) -> new Sent(contract(id), body.getBytes(StandardCharsets.UTF_8)));
    }

    private static Kind properties(String reason, Function<String, BasicProperties.Builder> builder) {
        return new Kind(reason, (id, headers) -> new Sent(builder.apply(id), placeOrder("bad-" + id)));
    }

    private static Kind header(String reason, String name, Object value) {
        return new Kind(reason, (id, headers) -> {
            headers.put(name, value);
            return new Sent(contract(id), placeOrder("bad-" + id));
        });
    }

    /** The headers alone do not make a message bad, so its body is malformed too. */
    private static Kind headers(String reason, Map<String, Object> more) {
        return new Kind(reason, (id, headers) -> {
            headers.putAll(more);
            return new Sent(contract(id), "{".getBytes(StandardCharsets.UTF_8));
        });
    }

    static int kinds() {
        return KINDS.size() + 1;
    }

    static Bad message(String run, int number) {
        int kind = number % KINDS.size();
        Map<String, Object> headers = new HashMap<>();
        headers.put(NUMBER, number);
        Sent sent = KINDS.get(kind).shape.of(run + number, headers);
        return new Bad(
                kind, KINDS.get(kind).reason, sent.properties.headers(headers).build(), sent.body);
    }

    /** Valid except for its size. */
    static Bad large(String run, int number, byte[] body) {
        BasicProperties properties = contract(run + number)
                .headers(new HashMap<>(Map.of(NUMBER, number)))
                .build();
        return new Bad(LARGE, "too-large", properties, body);
    }
}
