// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.safebunny.dedup.claim.LeaseWatch;
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
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import io.safebunny.transport.DeliveryHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles the messages of a lane, one after the other, as far as they are due. Thread-safe. */
final class LaneRunner {

    private static final Logger LOG = LoggerFactory.getLogger(LaneRunner.class);

    private static final int MOST_TRIES = 5;

    private final MessageStore store;
    private final Timeline timeline;
    private final BoundedLog log;
    private final Duration lease;
    private final Subject lost = Subject.error(LOG, "Messages that waited in order are gone");
    private final Subject expired = Subject.warn(LOG, "Messages that others waited for are forgotten");
    private final Map<String, Handler> handlers = new ConcurrentHashMap<>();
    /** Lanes that this instance runs. */
    private final Set<RecordKey> running = ConcurrentHashMap.newKeySet();

    /** Lanes with a message that was told to wait for a moment, by the version in which they are still ours. */
    private final Map<RecordKey, Long> kept = new ConcurrentHashMap<>();

    private final LeaseWatch leases;
    private volatile CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);
    private volatile boolean isOpen;
    private volatile boolean isClosed;

    /**
     * @param holds whether others wait for a message that was set aside
     * @param line of the type's lanes
     */
    private record Handler(DeliveryHandler pipeline, boolean holds, LaneLine line) {}

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
        this.leases = new LeaseWatch(timeline);
    }

    /** @param atOnce how many messages of the type run side by side from the store */
    void handles(String type, DeliveryHandler pipeline, boolean holds, int atOnce) {
        handlers.put(type, new Handler(pipeline, holds, new LaneLine(atOnce)));
    }

    boolean handles(String type) {
        return handlers.containsKey(type);
    }

    void start() {
        ended = new CompletableFuture<>();
        isOpen = true;
    }

    /** Begins no further messages. */
    void stop() {
        isOpen = false;
        endIfIdle();
    }

    /** Done when no message is being handled any more; to be asked for after {@link #stop}. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Those that are still being handled end nothing any more. */
    void close() {
        isClosed = true;
    }

    private void endIfIdle() {
        if (!isOpen && running.isEmpty()) {
            ended.complete(null);
        }
    }

    /**
     * Runs the lane on the calling thread unless enough others run, and then as soon as one of these is done.
     *
     * @param action must not throw
     */
    void inLine(RecordKey lane, Consumer<RecordKey> action) {
        Handler handler = handlers.get(LaneDocument.typeOf(lane));
        if (handler != null) {
            handler.line().run(lane, action);
        }
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
            Long ours = kept.remove(lane);
            while (isOpen) {
                MessageRecord found = store.find(lane);
                Lane now = LaneDocument.read(found);
                if (found == null || now.due() == null) {
                    return null;
                }
                if (mine == null || !hasMoved(LaneDocument.read(mine), now)) {
                    boolean isOurs = ours != null && ours == found.version();
                    if (mine != null || (!isOurs && now.due().isAfter(timeline.now()))) {
                        return now.due();
                    }
                    found = take(found, now);
                }
                mine = found;
                Duration pause = found == null ? null : advance(found, handler);
                if (found != null && pause != null) {
                    kept.put(lane, found.version());
                    return timeline.now().plus(pause);
                }
            }
            return null;
        } finally {
            running.remove(lane);
            endIfIdle();
        }
    }

    /** Whether the message whose turn it is in the lane was told to wait for a moment. */
    boolean keeps(RecordKey lane) {
        return kept.containsKey(lane);
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

    /** @return how long to wait; {@code null} if the message whose turn it is was handled, or has turned out to have ended */
    private @Nullable Duration advance(MessageRecord found, Handler handler) {
        Turn turn = turn(found);
        String id = turn.message();
        MessageRecord message =
                id == null ? null : store.find(new RecordKey(found.key().correlationId(), id));
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
        boolean isUntold = message.state() == RecordState.POISONED // and its process died before its copy was sent
                && !message.outgoing().isEmpty();
        if (isUntold || RecordRules.isStored(message)) {
            return handles(message, turn, handler);
        }
        return switch (message.state()) {
            case COMPLETED, DISPATCHED, UNDONE -> passes(turn, false);
            case POISONED -> passes(turn, handler.holds());
            case CLAIMED, RELEASED, PARKED -> lease;
        };
    }

    private @Nullable Duration handles(MessageRecord message, Turn turn, Handler handler) {
        if (message.state() == RecordState.CLAIMED) {
            Duration remaining = leases.remaining(message);
            if (remaining.toNanos() > 0) { // another instance is at it
                return remaining;
            }
        }
        StoredDelivery delivery = new StoredDelivery(message.outgoing().get(0), () -> !isClosed);
        handler.pipeline().handle(delivery);
        if (!delivery.isAcknowledged()) {
            return Objects.requireNonNullElse(delivery.kept(), lease);
        }
        RecordKey lane = turn.lane().key();
        MessageRecord after = store.find(message.key());
        if (after != null && after.state() == RecordState.POISONED) {
            return goesOnAfterPoison(lane, after, handler);
        }
        if (after == null || !RecordRules.isStored(after)) {
            return null;
        }
        MessageRecord found = store.find(lane);
        boolean isRefused = found != null // before it was claimed: its copy is sent, and nothing is written of it
                && found.version() == turn.lane().version();
        return isRefused ? passes(turn, handler.holds(), after) : null;
    }

    /** The copy of what was set aside is in the poison queue. */
    private @Nullable Duration goesOnAfterPoison(RecordKey lane, MessageRecord message, Handler handler) {
        MessageRecord found = store.find(lane);
        Lane now = LaneDocument.read(found);
        return found != null && now.due() != null && message.key().messageId().equals(now.head())
                ? passes(turn(found), handler.holds())
                : null;
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
    private @Nullable Duration passes(Turn turn, boolean holds) {
        return passes(turn, holds, null);
    }

    /** @param refused the message, of which a poison copy was sent that its record does not know of; {@code null} if it does */
    private @Nullable Duration passes(Turn turn, boolean holds, @Nullable MessageRecord refused) {
        Lane before = LaneDocument.read(turn.lane());
        String message = Objects.requireNonNullElse(turn.message(), "");
        Instant now = timeline.now();
        Lane after = holds ? LaneRules.holds(before, message, now) : LaneRules.ends(before, message, now.plus(lease));
        String owner = newOwner();
        List<MessageRecord> together = new ArrayList<>();
        if (refused != null) {
            together.add(refused.nextContent(RecordState.POISONED, owner, null, refused.steps())
                    .next(RecordState.POISONED, List.of())
                    .withVersion(refused.version() + 1)
                    .withTakeovers(0));
        }
        together.add(LaneDocument.write(turn.lane().key(), turn.lane(), after, owner));
        if (turn.slot() != null) {
            together.add(LaneSlot.left(turn.slot(), owner));
        }
        return store.writeTogether(together) instanceof JointWrite.Written ? null : lease;
    }

    /**
     * Lets a lane go on that waits for a message on which nobody has to decide any more: it has ended otherwise, its handler no longer waits
     * for such messages, or its record has expired, so that nobody can tell what became of it.
     *
     * @param lane whose head was set aside
     * @return whether it goes on
     */
    boolean free(MessageRecord lane) {
        String head = LaneDocument.read(lane).head();
        MessageRecord message =
                head == null ? null : store.find(new RecordKey(lane.key().correlationId(), head));
        if (head == null || (message != null && isWaitedFor(message, LaneDocument.typeOf(lane.key())))) {
            return false;
        }
        if (message == null) {
            log.tell(
                    expired,
                    head,
                    () -> LOG.warn(
                            "Nobody has decided on message {} while its record was kept: those behind it go on without it [order_key={}, type={}]",
                            head,
                            lane.key().correlationId(),
                            LaneDocument.typeOf(lane.key())));
        }
        return goesOn(lane);
    }

    private boolean goesOn(MessageRecord held) {
        boolean goesOn = passes(turn(held), false) == null;
        if (goesOn) {
            kept.put(held.key(), held.version() + 1);
        }
        return goesOn;
    }

    private boolean isWaitedFor(MessageRecord message, String type) {
        Handler handler = handlers.get(type);
        return switch (message.state()) {
            case COMPLETED, DISPATCHED, UNDONE -> false;
            case POISONED -> handler == null || handler.holds();
            case CLAIMED, RELEASED, PARKED -> true;
        };
    }

    /**
     * Lets a lane go on without its head, if that is this message, and was set aside.
     *
     * @param version of the record, as the copy has it; 0 if it does not say
     * @return whether it goes on by that
     * @throws StoreUnavailableException others keep changing the lane
     */
    boolean skip(RecordKey lane, String message, long version) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            MessageRecord found = store.find(lane);
            Lane now = LaneDocument.read(found);
            MessageRecord head = store.find(new RecordKey(lane.correlationId(), message));
            if (found == null
                    || now.state() != State.HELD
                    || !message.equals(now.head())
                    || (head != null && head.state() != RecordState.POISONED)
                    || (head != null && version > 0 && version != head.version())) {
                return false;
            }
            if (goesOn(found)) {
                return true;
            }
        }
        throw new StoreUnavailableException(
                "The lane of message %s was changed by others %s times in a row".formatted(message, MOST_TRIES),
                null,
                null);
    }
}
