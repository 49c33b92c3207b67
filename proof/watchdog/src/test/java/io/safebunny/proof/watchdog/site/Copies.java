// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Puts copies into a site's poison queue as anybody may who can write to it. */
public final class Copies {

    private static final int DIFFERENT_FAILURES = 40;

    private Copies() {}

    /** So many, of so many types, each with the longest text that is shown of a failure. */
    public static void put(Site site, int count, int types) {
        String text = "no room for this order, ".repeat(50);
        for (int i = 0; i < count; i++) {
            String type = "Type" + i % types;
            Map<String, Object> headers = headers("shop-" + type, "handler-failed", text + i);
            headers.put(
                    Headers.EXCEPTION_TYPE,
                    "com.example.shop.warehouse.Failure%sException".formatted(i % DIFFERENT_FAILURES));
            send(
                    site,
                    new WireMessage(
                            "message-" + i,
                            "order-" + i,
                            type,
                            "shop",
                            null,
                            "application/json",
                            null,
                            headers,
                            body("{}")));
        }
    }

    /**
     * One.
     *
     * @param exception empty for none
     */
    public static void put(Site site, String id, String type, String reason, String exception, String body) {
        Map<String, Object> headers = headers("shop-" + type, reason, exception.isEmpty() ? "" : "of " + exception);
        headers.put(Headers.POISON_DIGEST, "digest of " + id);
        if (!exception.isEmpty()) {
            headers.put(Headers.EXCEPTION_TYPE, exception);
        }
        send(site, new WireMessage(id, id, type, "shop", null, "application/json", null, headers, body(body)));
    }

    /** One that has the text wherever a sender can write something. */
    public static void put(Site site, String text) {
        Map<String, Object> headers = headers(text, text, text);
        headers.put(Headers.EXCEPTION_TYPE, text);
        headers.put("note", text);
        send(site, new WireMessage(text, text, text, text, null, text, null, headers, body(text)));
    }

    private static Map<String, Object> headers(String queue, String reason, String exception) {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put(Headers.POISON_QUEUE, queue);
        headers.put(Headers.POISON_REASON, reason);
        headers.put(Headers.POISONED_AT, Instant.parse("2026-01-01T00:00:00Z").toEpochMilli());
        headers.put(Headers.EXCEPTION_MESSAGE, exception);
        return headers;
    }

    private static byte[] body(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void send(Site site, WireMessage copy) {
        site.bean(Transport.class)
                .send(
                        new OutboundMessage(copy, new Route.Poison("shop"), Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(10), site.bean(Timeline.class)))
                .join();
    }
}
