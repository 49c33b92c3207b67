// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.identity.RandomIds;
import io.safebunny.store.MessageStore;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * The latest order for each type, in one record of the node, so that one read returns them all. A write replaces the version that was read:
 * which order is the latest is decided by the versions, not by a clock. Thread-safe.
 */
final class StoredOrders {

    /** Cannot clash with a message or a saga, because names of sagas have no dot. */
    static final RecordKey KEY = RecordKey.companion("bunny.operations", "bunny.operations");

    private static final String FORMAT = "1";
    private static final int TRIES = 10;

    /** How long an order stays visible in the store after its pause is over. */
    private static final Duration KEPT = Duration.ofDays(1);

    private final MessageStore store;
    private final Timeline timeline;
    private final JsonMapper json;

    StoredOrders(MessageStore store, Timeline timeline, JsonMapper json) {
        this.store = store;
        this.timeline = timeline;
        this.json = json;
    }

    /**
     * The stored orders.
     *
     * @param orders the latest one for each type
     */
    record Board(long version, Map<String, PauseOrder> orders) {}

    /** Reads the stored orders; {@code null} if there are none. */
    @Nullable
    Board read() {
        return board(TransactionalMessageStore.apart(store, () -> store.find(KEY)));
    }

    /**
     * Stores the order in place of the earlier one for its type.
     *
     * @return {@code null} if it is not stored, because others kept writing at the same time
     */
    @Nullable
    Board write(PauseOrder order) {
        String owner = RandomIds.next(timeline.random());
        for (int tries = 0; tries < TRIES; tries++) {
            MessageRecord stored = TransactionalMessageStore.apart(store, () -> store.find(KEY));
            Map<String, PauseOrder> orders = new TreeMap<>(orders(stored));
            orders.put(order.type(), order);
            MessageRecord write = next(stored, owner, orders);
            MessageRecord written = TransactionalMessageStore.apart(
                    store, () -> stored == null ? store.create(write) : store.replace(write));
            if (written != null && written.owner().equals(owner)) {
                return board(written);
            }
        }
        return null;
    }

    private MessageRecord next(@Nullable MessageRecord stored, String owner, Map<String, PauseOrder> orders) {
        Instant old = timeline.now().minus(KEPT);
        ArrayNode array = json.createArrayNode();
        orders.values().stream()
                .filter(order -> order.until().isAfter(old))
                .forEach(order -> order.writeTo(array.addObject()));
        Map<String, String> content = new LinkedHashMap<>();
        content.put("format", FORMAT);
        content.put("orders", array.toString());
        // records in the state RELEASED never expire
        return stored == null
                ? MessageRecord.companion(KEY, owner, null, content)
                : stored.nextContent(RecordState.RELEASED, owner, null, content);
    }

    private @Nullable Board board(@Nullable MessageRecord stored) {
        return stored == null ? null : new Board(stored.version(), orders(stored));
    }

    private Map<String, PauseOrder> orders(@Nullable MessageRecord stored) {
        Map<String, PauseOrder> orders = new TreeMap<>();
        if (stored == null) {
            return orders;
        }
        if (!FORMAT.equals(stored.steps().get("format"))) {
            throw new UnreadableRecordException(
                    KEY, "operations of format " + stored.steps().get("format"), null);
        }
        try {
            for (JsonNode node : json.readTree(stored.steps().getOrDefault("orders", "[]"))) {
                PauseOrder order = PauseOrder.read(node);
                orders.put(order.type(), order);
            }
        } catch (JacksonException | IllegalArgumentException e) {
            throw new UnreadableRecordException(KEY, "operations", e);
        }
        return orders;
    }
}
