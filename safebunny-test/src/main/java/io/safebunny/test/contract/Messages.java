// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.safebunny.message.WireMessage;
import java.util.LinkedHashMap;
import java.util.Map;

/** Messages that the contracts send and store. */
public final class Messages {

    private static final String TYPE = "OrderPlaced";

    private Messages() {}

    public static WireMessage message(String id) {
        return message(id, Map.of());
    }

    public static WireMessage message(String id, Map<String, Object> headers) {
        return new WireMessage(
                id,
                "4be0643f-1d98-573b-97cd-ca98a65347dd",
                TYPE,
                "orders",
                1_767_225_600L,
                "application/json",
                "utf-8",
                headers,
                ("{\"id\":\"" + id + "\"}").getBytes(UTF_8));
    }

    /** Every byte, every property, and every kind of header value that may be sent. */
    public static WireMessage rich(String id) {
        byte[] body = new byte[1_024];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) i;
        }
        return new WireMessage(
                id,
                "customer:42.eu",
                TYPE,
                "storefront",
                1_767_225_601L,
                "application/octet-stream",
                "gzip",
                6,
                headers(),
                body);
    }

    private static Map<String, Object> headers() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("sb-marker", 3);
        headers.put("sb-sent-at", 1_767_225_601_234L);
        headers.put("sb-causation-id", "4be0643f-1d98-573b-97cd-ca98a65347dd");
        headers.put("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        headers.put("text", "Grüße, 世界 🐇");
        headers.put("long-text", "ü".repeat(5_000));
        headers.put("empty", "");
        headers.put("int", Integer.MIN_VALUE);
        headers.put("long", Long.MAX_VALUE);
        headers.put("true", true);
        headers.put("false", false);
        headers.put("double", Math.PI);
        return headers;
    }

    /** A message as a foreign publisher may send it: only a body, and an id by which the test finds it. */
    public static WireMessage bare(String id) {
        return new WireMessage(id, null, null, null, null, null, null, Map.of(), new byte[0]);
    }
}
