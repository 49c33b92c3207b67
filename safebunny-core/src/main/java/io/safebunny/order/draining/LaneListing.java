// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.observation.BoundedLog;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lanes that are stored. Stateless. */
final class LaneListing {

    private static final Logger LOG = LoggerFactory.getLogger(LaneListing.class);
    private static final int PORTION = 100;

    /** Of lanes that are looked after. */
    static final int MOST = 10_000;

    private LaneListing() {}

    /**
     * Those that wait, the oldest first, each once.
     *
     * @param before until when; {@code null} for all
     * @param most after about so many there are no more
     * @return whether there may be more
     */
    static boolean each(
            MessageStore store, String status, @Nullable Instant before, int most, Consumer<MessageRecord> action) {
        Instant from = null;
        Set<RecordKey> seen = new HashSet<>();
        int portion = PORTION;
        List<MessageRecord> lanes;
        do {
            lanes = store.findListed(new ListingQuery(LaneDocument.KIND, status, from, before, portion));
            List<MessageRecord> unseen =
                    lanes.stream().filter(lane -> seen.add(lane.key())).toList();
            unseen.forEach(action);
            if (lanes.size() < portion) {
                return false;
            }
            from = at(lanes.get(lanes.size() - 1));
            portion = unseen.isEmpty() ? portion * 2 : portion; // so many are listed at one moment
        } while (seen.size() < most);
        return true;
    }

    private static @Nullable Instant at(MessageRecord lane) {
        return lane.listing() == null ? null : lane.listing().createdAt();
    }

    /** @throws ConfigurationException SB-1122 if messages wait that nobody would handle, although their type is handled */
    static void requireNoneLeft(MessageStore store, List<HandlerDefinition> handlers, BoundedLog log) {
        Map<String, Integer> left = new HashMap<>();
        try {
            for (String status : List.of(LaneDocument.DUE, LaneDocument.HELD)) {
                each(store, status, null, MOST, lane -> left.merge(LaneDocument.typeOf(lane.key()), 1, Integer::sum));
            }
        } catch (RuntimeException e) {
            LOG.warn("It is not known whether messages wait in order that nobody handles any more", log.tellable(e));
        }
        Set<String> unhandled = new TreeSet<>(left.keySet());
        for (HandlerDefinition handler : handlers) {
            unhandled.remove(handler.type());
            if (!handler.ordering().isOrdered() && left.containsKey(handler.type())) {
                throw new ConfigurationException(
                        "SB-1122",
                        "Messages wait in order in the store for %s, which no longer takes them in order [type=%s, order keys=%s]: nobody would handle them."
                                .formatted(handler.description(), handler.type(), left.get(handler.type())),
                        "Start the version before with ordered = true, let it handle what waits, and replay or discard what is held in its poison queue; see docs/order.md.");
            }
        }
        if (!unhandled.isEmpty()) {
            LOG.warn(
                    "Messages wait in order in the store, and nobody handles them any more [types={}]: start the version before until it has handled them",
                    unhandled);
        }
    }
}
