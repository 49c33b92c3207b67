// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.failure.MisuseException;
import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.jdbc.outbox.rows.SendingInOrder;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.waiting.SerialTask;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages from memory right after their commit, without reading them back. Each correlation has one {@link Lane}, sent in the order
 * of row ids; lanes run in parallel. Before a lane's rows are sent, the table is queried, for many lanes at once, for the rows it holds.
 * {@linkplain MissingRows Missing rows} are not sent. A row behind an earlier one of its correlation waits, because a commit is visible in
 * the table before this class learns of it. Rows that do not fit into memory, fail or get too old are left to the relay. Thread-safe.
 */
final class DirectPath {

    private static final Logger LOG = LoggerFactory.getLogger(DirectPath.class);

    private static final String UNASKED = "The outbox could not be queried for what to send";

    static final int MOST_HELD = 10_000;
    static final long MOST_BYTES = 32L << 20;

    private static final Duration FIRST_LOOK_AGAIN = Duration.ofMillis(20);
    private static final int MOST_DOUBLINGS = 5;
    private static final Duration NO_ANSWER_DELAY = Duration.ofSeconds(1);

    private final OutboxContext outbox;
    private final SentRows sentRows;
    private final MissingRows missing;
    private final int batchSize;
    private final long tooOldNanos;
    private final SerialTask worker;

    private final Map<String, Lane> lanes = new HashMap<>();
    private final Deque<Lane> ready = new ArrayDeque<>();
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private @Nullable Function<OutboundMessage, CompletableFuture<Void>> sender;
    private volatile Runnable leftToRelay = () -> {};
    /** Set when rows were left to the relay; it is notified after the lock is released. */
    private final AtomicBoolean leaves = new AtomicBoolean();

    private int held;
    private long heldBytes;
    private int inFlight;
    private boolean stopped;

    private record Taken(Lane lane, List<OutboxRow> rows) {
        String correlationId() {
            return lane.correlationId();
        }
    }

    DirectPath(OutboxContext outbox, SentRows sentRows) {
        this.outbox = outbox;
        this.sentRows = sentRows;
        this.missing = new MissingRows(outbox);
        this.batchSize = outbox.options().batchSize();
        // well before the relay claims the row, so that it is not sent twice
        this.tooOldNanos = outbox.options().relayAfter().toNanos() * 3 / 4;
        this.worker = new SerialTask("sending committed messages", this::work, outbox.blocking(), outbox.timeline());
    }

    /** @param newLeftToRelay called when rows are left to the relay; must not block */
    void start(Function<OutboundMessage, CompletableFuture<Void>> newSender, Runnable newLeftToRelay) {
        leftToRelay = newLeftToRelay;
        missing.start(newLeftToRelay);
        synchronized (this) {
            sender = newSender;
        }
        worker.request();
    }

    /**
     * Takes the rows of one transaction right after its commit. Does not block; rows beyond the memory bound are left to the
     * relay.
     */
    void add(List<OutboxRow> rows) {
        boolean mayWork;
        synchronized (this) {
            if (stopped) {
                leave(rows, null);
                return;
            }
            long now = outbox.timeline().nanoTime();
            for (int i = 0; i < rows.size(); i++) {
                if (held >= MOST_HELD || heldBytes >= MOST_BYTES) {
                    leave(rows.subList(i, rows.size()), null);
                    break;
                }
                OutboxRow row = rows.get(i);
                held++;
                heldBytes += row.bytes();
                Lane lane = lanes.computeIfAbsent(row.correlationId(), Lane::new);
                lane.add(row, now);
                makeReady(lane);
            }
            // the transaction may have stored more rows than it handed over
            leavesIf(held >= MOST_HELD || heldBytes >= MOST_BYTES);
            mayWork = sender != null;
        }
        if (mayWork) {
            worker.request();
        }
        tellRelay();
    }

    private void tellRelay() {
        if (leaves.getAndSet(false)) {
            leftToRelay.run();
        }
    }

    private void leavesIf(boolean isLeft) {
        if (isLeft) {
            leaves.set(true);
        }
    }

    private void makeReady(Lane lane) {
        if (lane.state == Lane.State.IDLE) {
            lane.state = Lane.State.READY;
            ready.add(lane);
        }
    }

    /** Whether a message of the correlation is being sent. */
    synchronized boolean isSending(String correlationId) {
        Lane lane = lanes.get(correlationId);
        return lane != null && lane.state == Lane.State.SENDING;
    }

    /** Number of rows waiting to be sent here or being sent. */
    synchronized int held() {
        return held;
    }

    private void work() {
        takeAndSend();
        tellRelay();
    }

    private void takeAndSend() {
        List<Taken> taken = take();
        while (!taken.isEmpty()) {
            Map<String, NavigableSet<Long>> present;
            try {
                present = outbox.present(
                        taken.stream().flatMap(one -> one.rows.stream()).toList());
                outbox.log().databaseAnswers(UNASKED);
            } catch (SQLException | RuntimeException | Error e) { // pools and drivers throw these too
                outbox.log().noDatabase(UNASKED, e);
                taken.forEach(one -> lookAgain(one.lane, NO_ANSWER_DELAY));
                return;
            }
            for (Taken one : taken) {
                sendPart(one, present.getOrDefault(one.correlationId(), new TreeSet<>()));
            }
            taken = take();
        }
    }

    private synchronized List<Taken> take() {
        List<Taken> taken = new ArrayList<>();
        if (sender == null || stopped) {
            return taken;
        }
        int room = Math.min(batchSize, 4 * batchSize - inFlight);
        while (room > 0 && !ready.isEmpty()) {
            Lane lane = ready.remove();
            List<OutboxRow> tooOld = lane.removeOlder(outbox.timeline().nanoTime(), tooOldNanos);
            leavesIf(!tooOld.isEmpty());
            leave(tooOld, null);
            forget(tooOld);
            if (lane.isEmpty()) {
                lanes.remove(lane.correlationId());
                continue;
            }
            lane.state = Lane.State.WAITING;
            List<OutboxRow> rows = lane.first(room);
            room -= rows.size();
            taken.add(new Taken(lane, rows));
        }
        return taken;
    }

    /** Leaves the rows to the relay of this instance or another one. */
    private static void leave(List<OutboxRow> rows, @Nullable Throwable failure) {
        rows.forEach(row -> row.ended(PublishOutcome.STORED, failure));
    }

    private void forget(List<OutboxRow> rows) {
        held -= rows.size();
        rows.forEach(row -> heldBytes -= row.bytes());
    }

    private void sendPart(Taken taken, NavigableSet<Long> present) {
        List<OutboxRow> part = free(taken, present);
        if (part.isEmpty()) {
            lookAgain(taken.lane, looksAgainIn(taken));
            return;
        }
        Function<OutboundMessage, CompletableFuture<Void>> current = currentSender();
        new SendingInOrder(
                        part,
                        current,
                        outbox.blocking(),
                        () -> !isStopped(),
                        (confirmed, failure) -> ended(taken.lane, part, confirmed, failure))
                .run();
    }

    private synchronized Function<OutboundMessage, CompletableFuture<Void>> currentSender() {
        if (sender == null) {
            throw new MisuseException(
                    MisuseException.NOT_RUNNING,
                    "The outbox is not started yet. Use it after the application has started, for example from an ApplicationRunner.");
        }
        return sender;
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    /** The taken rows that the table holds and that no earlier row precedes. If there are any, the lane is {@code SENDING} afterwards. */
    private synchronized List<OutboxRow> free(Taken taken, NavigableSet<Long> present) {
        if (stopped) {
            return List.of();
        }
        Lane.Part part = taken.lane.take(taken.rows, present);
        forget(part.gone());
        missing.add(part.gone());
        if (!part.free().isEmpty()) {
            taken.lane.state = Lane.State.SENDING;
            taken.lane.looks = 0;
            inFlight += part.free().size();
        }
        return part.free();
    }

    private synchronized Duration looksAgainIn(Taken taken) {
        Lane lane = taken.lane;
        return lane.isEmpty() || lane.hasBefore(taken.rows.get(0))
                ? Duration.ZERO
                : FIRST_LOOK_AGAIN.multipliedBy(1L << Math.min(lane.looks++, MOST_DOUBLINGS));
    }

    private void lookAgain(Lane lane, Duration delay) {
        if (delay.isZero()) {
            release(lane);
        } else {
            outbox.timeline().schedule(delay, () -> release(lane));
        }
    }

    private void release(Lane lane) {
        synchronized (this) {
            lane.state = Lane.State.IDLE;
            if (lane.isEmpty()) {
                lanes.remove(lane.correlationId());
            } else {
                makeReady(lane);
            }
        }
        worker.request();
    }

    private void ended(Lane lane, List<OutboxRow> part, int confirmed, @Nullable Throwable failure) {
        outbox.metrics().sent(confirmed);
        if (confirmed > 0) {
            outbox.log().sent();
        }
        if (failure != null) {
            outbox.metrics().failed();
            String id = part.get(confirmed).messageId();
            outbox.log()
                    .unsent(
                            failure,
                            id,
                            () -> LOG.warn(
                                    "Message {} is stored in the outbox and could not be sent after its commit; the relay retries it: {}",
                                    id,
                                    failure.toString()));
        }
        part.subList(0, confirmed).forEach(row -> row.ended(PublishOutcome.CONFIRMED, null));
        leave(part.subList(confirmed, part.size()), failure);
        synchronized (this) {
            if (confirmed < part.size()) {
                forget(leaveAll(lane));
            }
        }
        List<Long> ids = part.stream().limit(confirmed).map(OutboxRow::id).toList();
        sentRows.settle(ids, null, () -> settled(lane, part, confirmed < part.size()));
    }

    private void settled(Lane lane, List<OutboxRow> part, boolean isPartLeft) {
        synchronized (this) {
            leavesIf(isPartLeft);
            inFlight -= part.size();
            forget(part);
            completeIfIdle();
        }
        release(lane);
        tellRelay();
    }

    private static List<OutboxRow> leaveAll(Lane lane) {
        List<OutboxRow> all = lane.removeAll();
        leave(all, null);
        return all;
    }

    private void completeIfIdle() {
        if (stopped && inFlight == 0) {
            idle.complete(null);
        }
    }

    /** Starts no further sending. The result completes once nothing is being sent. */
    synchronized CompletableFuture<Void> stop() {
        stopped = true;
        missing.stop();
        worker.stop();
        ready.clear();
        lanes.values().forEach(lane -> forget(leaveAll(lane)));
        completeIfIdle();
        return idle;
    }
}
