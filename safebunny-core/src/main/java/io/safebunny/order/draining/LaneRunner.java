// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.safebunny.dedup.claim.RecordRules;
import io.safebunny.identity.RandomIds;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.Lane.State;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneRules;
import io.safebunny.order.lane.LaneSlot;
import io.safebunny.order.lane.StoredDelivery;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import io.safebunny.transport.DeliveryHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles the messages of a lane, one after the other, as far as they are due. Thread-safe. */
final class LaneRunner {

    private static final Logger LOG = LoggerFactory.getLogger(LaneRunner.class);

    private final MessageStore store;
    private final Timeline timeline;
    private final BoundedLog log;
    private final Duration lease;
    private final Subject lost = Subject.error(LOG, "Messages that waited in order are gone");
    private final Map<String, Handler> handlers = new ConcurrentHashMap<>();
    /** Lanes that this instance runs. */
    private final Set<RecordKey> running = ConcurrentHashMap.newKeySet();

    private volatile boolean isOpen;

    /** @param holds whether others wait for a message that was set aside */
    private record Handler(DeliveryHandler pipeline, boolean holds) {}

    /**
     * What is to be done next, as it is stored.
     *
     * @param slot {@code null} for the head, and if it is gone
     * @param message {@code null} if its slot is gone
     */
    private record Turn(
            MessageRecord lane,
            @Nullable MessageRecord slot,
            @Nullable String message) {}

    LaneRunner(Node node) {
        this.store = node.requireStore();
        this.timeline = node.timeline();
        this.log = node.log();
        this.lease = node.options().lease();
    }

    void handles(String type, DeliveryHandler pipeline, boolean holds) {
        handlers.put(type, new Handler(pipeline, holds));
    }

    void start() {
        isOpen = true;
    }

    /** Begins no further messages. */
    void stop() {
        isOpen = false;
    }

    /**
     * Handles on the calling thread what is due in the lane.
     *
     * @return when there will be more to do; {@code null} if nobody knows, or another thread does it
     * @throws RuntimeException the store does not answer
     */
    @Nullable
    Instant run(RecordKey lane) {
        Handler handler = handlers.get(LaneDocument.typeOf(lane));
        if (handler == null || !running.add(lane)) {
            return null;
        }
        try {
            MessageRecord mine = null;
            while (isOpen) {
                MessageRecord found = store.find(lane);
                Lane now = LaneDocument.read(found);
                if (found == null || now.due() == null) {
                    return null;
                }
                if (mine == null || !hasMoved(LaneDocument.read(mine), now)) {
                    if (mine != null || now.due().isAfter(timeline.now())) {
                        return now.due();
                    }
                    found = take(found, now);
                }
                mine = found;
                if (found != null && !advance(found, handler)) {
                    return timeline.now().plus(lease);
                }
            }
            return null;
        } finally {
            running.remove(lane);
        }
    }

    /** Whether a message of ours has ended, and the next one is ours, too. */
    private static boolean hasMoved(Lane before, Lane now) {
        return now.state() == State.DRAINING
                && (now.first() != before.first() || !Objects.equals(now.head(), before.head()));
    }

    /** @return {@code null} if another instance was faster */
    private @Nullable MessageRecord take(MessageRecord found, Lane lane) {
        Instant due = timeline.now().plus(lease);
        return store.replace(LaneDocument.write(found.key(), found, LaneRules.drains(lane, due), newOwner()));
    }

    private String newOwner() {
        return RandomIds.next(timeline.random());
    }

    /** @return whether the message whose turn it is was handled, or has turned out to have ended */
    private boolean advance(MessageRecord found, Handler handler) {
        Turn turn = turn(found);
        String id = turn.message();
        MessageRecord message =
                id == null ? null : store.find(new RecordKey(found.key().correlationId(), id));
        if (message != null && RecordRules.isStored(message)) {
            StoredDelivery delivery = new StoredDelivery(message.outgoing().get(0), () -> isOpen);
            handler.pipeline().handle(delivery);
            return delivery.kept() == null;
        }
        if (message == null) {
            String what = id == null ? "that waited" : id;
            log.tell(
                    lost,
                    what,
                    () -> LOG.error(
                            "Message {} is gone from the store: it is not handled, and those behind it go on. Somebody has removed it [order_key={}, type={}]",
                            what,
                            found.key().correlationId(),
                            LaneDocument.typeOf(found.key())));
            return passes(turn, false);
        }
        return switch (message.state()) {
            case COMPLETED, DISPATCHED, UNDONE -> passes(turn, false);
            case POISONED -> passes(turn, handler.holds());
            case CLAIMED, RELEASED, PARKED -> false;
        };
    }

    private Turn turn(MessageRecord found) {
        Lane lane = LaneDocument.read(found);
        if (lane.head() != null) {
            return new Turn(found, null, lane.head());
        }
        MessageRecord slot = store.find(LaneSlot.key(found.key(), lane.first()));
        return new Turn(found, slot, slot == null ? null : LaneSlot.message(slot));
    }

    /** The message whose turn it is has ended without its lane. */
    private boolean passes(Turn turn, boolean holds) {
        Lane before = LaneDocument.read(turn.lane());
        String message = Objects.requireNonNullElse(turn.message(), "");
        Instant now = timeline.now();
        Lane after = holds ? LaneRules.holds(before, message, now) : LaneRules.ends(before, message, now.plus(lease));
        String owner = newOwner();
        List<MessageRecord> together = new ArrayList<>();
        together.add(LaneDocument.write(turn.lane().key(), turn.lane(), after, owner));
        if (turn.slot() != null) {
            together.add(LaneSlot.left(turn.slot(), owner));
        }
        return store.writeTogether(together) instanceof JointWrite.Written;
    }
}
