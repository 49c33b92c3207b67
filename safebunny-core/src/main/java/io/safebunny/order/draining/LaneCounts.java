// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneFigures;
import io.safebunny.order.lane.LaneFigures.Counted;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How much waits in lanes, by type, as of the last answer of the store. Thread-safe. */
final class LaneCounts {

    private static final Logger LOG = LoggerFactory.getLogger(LaneCounts.class);
    private static final Subject FAILED = Subject.warn(LOG, "What waits in order cannot be counted");

    /** Of lanes that are held, and of others: as much as is read in a round. */
    private static final int MOST = 1_000;

    private final Node node;
    private final MessageStore store;
    private final Timeline timeline;
    private final BoundedLog log;
    private volatile @Nullable Counted counted;

    LaneCounts(Node node) {
        this.node = node;
        this.store = node.requireStore();
        this.timeline = node.timeline();
        this.log = node.log();
    }

    /** Registers the meters of a type. They show 0 until the store has been asked. */
    void measure(String type) {
        node.metrics()
                .order(
                        type,
                        () -> of(type).held(),
                        () -> of(type).parked(),
                        () -> of(type).full(),
                        () -> age(of(type).since()));
    }

    /** Asks the store; called by one thread at a time. If it does not answer, the figures stay as they were. */
    void refresh() {
        try {
            Instant asked = timeline.now();
            Map<String, LaneFigures> types = new HashMap<>();
            boolean more = false;
            for (String status : List.of(LaneDocument.HELD, LaneDocument.DUE)) {
                more |= LaneListing.each(store, status, null, MOST, lane -> add(types, lane));
            }
            counted = new Counted(types, more, asked);
            log.works(FAILED);
        } catch (RuntimeException e) {
            log.fails(
                    FAILED,
                    "lanes",
                    () -> LOG.warn(
                            "What waits in order cannot be counted now: health and meters show the last figures",
                            log.tellable(e)));
        }
    }

    private static void add(Map<String, LaneFigures> types, MessageRecord stored) {
        Lane lane;
        try {
            lane = LaneDocument.read(stored);
        } catch (UnreadableRecordException e) {
            return; // of a newer version, which counts it
        }
        types.merge(
                LaneDocument.typeOf(stored.key()),
                LaneFigures.NONE.and(stored.key().correlationId(), lane),
                (before, one) -> before.and(stored.key().correlationId(), lane));
    }

    /** {@code null} before the store's first answer. */
    @Nullable
    Counted counted() {
        return counted;
    }

    private LaneFigures of(String type) {
        Counted known = counted;
        return known == null ? LaneFigures.NONE : known.types().getOrDefault(type, LaneFigures.NONE);
    }

    private double age(@Nullable Instant since) {
        return since == null
                ? 0
                : Math.max(0, Duration.between(since, timeline.now()).toMillis() / 1_000.0);
    }
}
