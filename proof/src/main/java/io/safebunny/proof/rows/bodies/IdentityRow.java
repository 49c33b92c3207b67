// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.encryption.Encrypted;
import io.safebunny.message.Headers;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.bodies.Payment.Receipt;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.test.encryption.MemoryKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Takes messages out of their queue, and puts them back with something changed, as whoever may write to the queue can. */
record IdentityRow(StoreAddress store) {

    private static final String OTHER_ID = "0b4d6f5e-8c1c-4f7e-9a36-5d2f2c1b7a10";
    private static final String UNDECRYPTABLE = "undecryptable";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MOST = 100;

    /** It could be read as a receipt. */
    @Encrypted(key = KeyFile.NAME)
    record Refund(int number) {}

    /** What whoever has the queue makes of a message. */
    private static final class Changed {

        private final BasicProperties.Builder properties;
        private final Map<String, Object> headers;
        private byte[] body;
        private String queue = "Receipt";

        Changed(GetResponse taken) {
            properties = taken.getProps().builder();
            headers = new HashMap<>(taken.getProps().getHeaders());
            body = taken.getBody();
        }
    }

    Finding find() throws Exception {
        MemoryKeys keys = MemoryKeys.of(KeyFile.NAME);
        Queue<String> handled = new ConcurrentLinkedQueue<>();
        try (Live live = new Live()) {
            OpenStore records = live.store(store, "book");
            Node desk = live.instance("desk", null, parts -> parts.codecs(KeyFile.codecs(keys, live.timeline())));
            desk.start(List.of());
            book(live, records, keys, handled).close(); // its queues are there now
            Map<String, BiConsumer<Changed, GetResponse>> changes = changes(live);
            for (int number = 0; number <= changes.size(); number++) {
                Published unused = desk.bunny()
                        .publish(
                                new Receipt(number),
                                PublishOptions.none()
                                        .withCorrelationId("order-1")
                                        .withOrderKey("customer-1"));
            }
            putBack(live, changes.values());
            try (Node book = book(live, records, keys, handled)) {
                return finding(live, book, changes.size(), handled);
            }
        }
    }

    private static Node book(Live live, OpenStore records, MemoryKeys keys, Queue<String> handled) {
        Node book = live.unclosed("book", records, parts -> parts.codecs(KeyFile.codecs(keys, live.timeline())));
        book.start(List.of(
                live.handler(Receipt.class, "desk", (payload, context) -> handled.add(context.messageId())),
                live.handler(Refund.class, "desk", (payload, context) -> handled.add(context.messageId())),
                live.handler(Note.class, "teller", (payload, context) -> {})));
        return book;
    }

    private static Map<String, BiConsumer<Changed, GetResponse>> changes(Live live) {
        Map<String, BiConsumer<Changed, GetResponse>> changes = new LinkedHashMap<>();
        changes.put("message id", (changed, other) -> changed.properties.messageId(OTHER_ID));
        changes.put("correlation id", (changed, other) -> changed.properties.correlationId("order-2"));
        changes.put("causation id", (changed, other) -> changed.headers.put(Headers.CAUSATION_ID, OTHER_ID));
        changes.put("type", (changed, other) -> {
            changed.properties.type("Refund");
            changed.queue = "Refund";
        });
        changes.put("sender", (changed, other) -> changed.properties.appId(live.name("teller")));
        changes.put("content type", (changed, other) -> changed.properties.contentType("application/x+json"));
        changes.put("encodings", (changed, other) -> changed.properties.contentEncoding("gzip, sb-aes"));
        changes.put(
                "time",
                (changed, other) -> changed.headers.computeIfPresent(Headers.SENT_AT, (name, at) -> (Long) at - 1));
        changes.put("marker", (changed, other) -> changed.headers.put(Headers.MARKER, 7));
        changes.put("undoes", (changed, other) -> changed.headers.put(Headers.UNDOES, OTHER_ID));
        changes.put("order key", (changed, other) -> changed.headers.put(Headers.ORDER_KEY, "customer-2"));
        changes.put("version", (changed, other) -> changed.headers.put(Headers.VERSION, 1_000));
        changes.put("body of another one", (changed, other) -> changed.body = other.getBody());
        changes.put("last byte", (changed, other) -> changed.body[changed.body.length - 1] ^= 1);
        changes.put("key id", (changed, other) -> changed.body[5] ^= 1);
        changes.put("length", (changed, other) -> changed.body = Arrays.copyOf(changed.body, changed.body.length - 1));
        return changes;
    }

    /** The last one comes back as it was, twice: a copy of a message is a duplicate. */
    private static void putBack(Live live, Iterable<BiConsumer<Changed, GetResponse>> changes) throws Exception {
        String queues = live.name("book") + '-';
        try (Connection connection = live.connect();
                Channel channel = connection.createChannel()) {
            List<GetResponse> taken = new ArrayList<>();
            for (GetResponse next = channel.basicGet(queues + "Receipt", true);
                    next != null;
                    next = channel.basicGet(queues + "Receipt", true)) {
                taken.add(next);
            }
            GetResponse last = taken.get(taken.size() - 1);
            int number = 0;
            channel.confirmSelect();
            for (BiConsumer<Changed, GetResponse> change : changes) {
                Changed changed = new Changed(taken.get(number++));
                change.accept(changed, last);
                channel.basicPublish(
                        "",
                        queues + changed.queue,
                        changed.properties.headers(changed.headers).build(),
                        changed.body);
            }
            channel.basicPublish("", queues + "Receipt", last.getProps(), last.getBody());
            channel.basicPublish("", queues + "Receipt", last.getProps(), last.getBody());
            channel.waitForConfirmsOrDie(PATIENCE.toMillis());
        }
    }

    private static Finding finding(Live live, Node book, int changed, Queue<String> handled) throws IOException {
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> live.depth("book", "poison") >= changed && !handled.isEmpty());
        } catch (ConditionTimeoutException e) {
            // the figures tell what is missing
        }
        Map<String, Long> reasons = book
                .poisonMessages()
                .list(PoisonFilter.all().withLimit(MOST))
                .messages()
                .stream()
                .collect(Collectors.groupingBy(PoisonedMessage::reason, TreeMap::new, Collectors.counting()));
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("changed", changed);
        figures.put("of these handled", handled.size() - 1);
        figures.put("set aside", reasons.toString());
        boolean passed = handled.size() == 1
                && reasons.values().stream().mapToLong(Long::longValue).sum() == changed
                && reasons.getOrDefault(UNDECRYPTABLE, 0L) > changed / 2;
        return new Finding(passed, figures);
    }
}
