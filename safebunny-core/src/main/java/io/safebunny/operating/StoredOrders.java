// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operating;

import io.safebunny.identity.RandomIds;
import io.safebunny.spi.store.Fingerprint;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.spi.store.UnreadableRecordException;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/** The latest order about each type, in one record of the node, so that one read tells them all. Thread-safe. */
final class StoredOrders {

    /** No message has this key, and no saga: names of sagas have no dot. */
    static final RecordKey KEY = RecordKey.companion("bunny.operations", "bunny.operations");

    private static final String FORMAT = "1";
    private static final int TRIES = 10;

    /** How long an order is kept that pauses nothing any more; its number keeps a late one from counting. */
    private static final Duration KEPT = Duration.ofDays(1);

    private final MessageStore store;
    private final Timeline timeline;
    private final JsonMapper json;

    StoredOrders(MessageStore store, Timeline timeline, JsonMapper json) {
        this.store = store;
        this.timeline = timeline;
        this.json = json;
    }

    /** By type. */
    Map<String, Order> read() {
        return read(apart(() -> store.find(KEY)));
    }

    /**
     * Stores the order unless a later one is stored.
     *
     * @return whether it counts
     */
    boolean write(Order order) {
        String owner = RandomIds.next(timeline.random());
        for (int tries = 0; tries < TRIES; tries++) {
            MessageRecord stored = apart(() -> store.find(KEY));
            Map<String, Order> orders = read(stored);
            Order present = orders.get(order.type());
            if (present != null && present.sequence() >= order.sequence()) {
                return present.operation().equals(order.operation());
            }
            orders.put(order.type(), order);
            MessageRecord write = next(stored, owner, orders);
            MessageRecord written = apart(() -> stored == null ? store.create(write) : store.replace(write));
            if (written != null && written.owner().equals(owner)) {
                return true;
            }
        }
        return false;
    }

    private MessageRecord next(@Nullable MessageRecord stored, String owner, Map<String, Order> orders) {
        Instant old = timeline.now().minus(KEPT);
        ArrayNode array = json.createArrayNode();
        orders.values().stream()
                .filter(order -> order.until().isAfter(old))
                .forEach(order -> order.writeTo(array.addObject()));
        Map<String, String> content = new LinkedHashMap<>();
        content.put("format", FORMAT);
        content.put("orders", array.toString());
        // released: in that state no store lets it expire
        return stored == null
                ? new MessageRecord(
                        KEY,
                        RecordState.RELEASED,
                        owner,
                        1,
                        0,
                        0,
                        Duration.ZERO,
                        new Fingerprint(Fingerprint.SHA256, 0, 0),
                        content,
                        List.of(),
                        null,
                        null)
                : stored.nextContent(RecordState.RELEASED, owner, null, content);
    }

    private Map<String, Order> read(@Nullable MessageRecord stored) {
        Map<String, Order> orders = new TreeMap<>();
        if (stored == null) {
            return orders;
        }
        if (!FORMAT.equals(stored.steps().get("format"))) {
            throw new UnreadableRecordException(
                    KEY, "operations of format " + stored.steps().get("format"), null);
        }
        try {
            for (JsonNode node : json.readTree(stored.steps().getOrDefault("orders", "[]"))) {
                Order order = Order.read(node);
                orders.put(order.type(), order);
            }
        } catch (JacksonException | IllegalArgumentException e) {
            throw new UnreadableRecordException(KEY, "operations", e);
        }
        return orders;
    }

    private <T extends @Nullable Object> T apart(Supplier<T> action) {
        return store instanceof TransactionalMessageStore transactional ? transactional.apart(action) : action.get();
    }
}
