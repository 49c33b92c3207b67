// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what was just committed, from memory, without reading it again. One lane per correlation, in the order of the commits;
 * lanes go side by side. Before a lane's rows are sent the table is asked, for many lanes at once, which rows are there: what
 * was rolled back to a savepoint is not, and behind an earlier one of the same correlation the lane waits. What does not fit
 * into memory, fails, or grows old is left to the relay. Thread-safe.
 */
final class DirectPath {

    private static final Logger LOG = LoggerFactory.getLogger(DirectPath.class);

    static final int MOST_HELD = 10_000;
    static final long MOST_BYTES = 32L << 20;

    private static final Duration FIRST_LOOK_AGAIN = Duration.ofMillis(20);
    private static final int MOST_DOUBLINGS = 5;
    private static final Duration NO_ANSWER_DELAY = Duration.ofSeconds(1);

    private final Connections connections;
    private final OutboxTable table;
    private final Settlement settlement;
    private final Timeline timeline;
    private final Executor blocking;
    private final OutboxMetrics metrics;
    private final int batchSize;
    private final long tooOldNanos;
    private final SingleWorker worker;

    private final Map<String, Lane> lanes = new HashMap<>();
    private final Deque<Lane> ready = new ArrayDeque<>();
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private @Nullable Function<OutboundMessage, CompletableFuture<Void>> sender;
    private int held;
    private long heldBytes;
    private int inFlight;
    private boolean stopped;

    /** One correlation. Guarded by the path. */
    private static final class Lane {
        final String correlationId;
        final Deque<Held> waiting = new ArrayDeque<>();
        State state = State.IDLE;
        int looks;

        Lane(String correlationId) {
            this.correlationId = correlationId;
        }
    }

    private enum State {
        /** To be taken up by whoever adds a row. */
        IDLE,
        READY,
        /** The table is asked, or will be again. */
        WAITING,
        SENDING
    }

    private record Held(OutboxRow row, long committed) {}

    private record Taken(Lane lane, List<OutboxRow> rows) {}

    DirectPath(
            Connections connections,
            OutboxTable table,
            Settlement settlement,
            Timeline timeline,
            Executor blocking,
            OutboxMetrics metrics,
            JdbcOutboxOptions options) {
        this.connections = connections;
        this.table = table;
        this.settlement = settlement;
        this.timeline = timeline;
        this.blocking = blocking;
        this.metrics = metrics;
        this.batchSize = options.batchSize();
        // well before the relay takes it
        this.tooOldNanos = options.relayAfter().toNanos() * 3 / 4;
        this.worker = new SingleWorker(blocking, this::work);
    }

    void start(Function<OutboundMessage, CompletableFuture<Void>> newSender) {
        synchronized (this) {
            sender = newSender;
        }
        worker.ask();
    }

    /** Rows of one transaction, right after its commit. Does not block; what does not fit is not taken. */
    void add(List<OutboxRow> rows) {
        boolean mayWork;
        synchronized (this) {
            if (stopped) {
                return;
            }
            long now = timeline.nanoTime();
            for (OutboxRow row : rows) {
                if (held >= MOST_HELD || heldBytes >= MOST_BYTES) {
                    break;
                }
                held++;
                heldBytes += row.bytes();
                Lane lane = lanes.computeIfAbsent(row.correlationId(), Lane::new);
                lane.waiting.add(new Held(row, now));
                makeReady(lane);
            }
            mayWork = sender != null;
        }
        if (mayWork) {
            worker.ask();
        }
    }

    private void makeReady(Lane lane) {
        if (lane.state == State.IDLE) {
            lane.state = State.READY;
            ready.add(lane);
        }
    }

    /** Whether a message of the correlation is being sent. */
    synchronized boolean isSending(String correlationId) {
        Lane lane = lanes.get(correlationId);
        return lane != null && lane.state == State.SENDING;
    }

    private void work() {
        List<Taken> taken = take();
        while (!taken.isEmpty()) {
            Map<String, NavigableSet<Long>> present;
            try {
                present = present(taken);
            } catch (SQLException | RuntimeException e) { // of the pool, perhaps
                LOG.warn("The outbox could not be asked what to send; it is asked again", e);
                taken.forEach(one -> lookAgain(one.lane, NO_ANSWER_DELAY));
                return;
            }
            for (Taken one : taken) {
                sendPart(one, present.getOrDefault(one.lane.correlationId, new TreeSet<>()));
            }
            taken = take();
        }
    }

    private Map<String, NavigableSet<Long>> present(List<Taken> taken) throws SQLException {
        Set<String> correlations = new HashSet<>();
        long largest = 0;
        for (Taken one : taken) {
            correlations.add(one.lane.correlationId);
            for (OutboxRow row : one.rows) {
                largest = Math.max(largest, row.id());
            }
        }
        long upTo = largest;
        return connections.once(connection -> table.present(connection, correlations, upTo));
    }

    private synchronized List<Taken> take() {
        List<Taken> taken = new ArrayList<>();
        if (sender == null || stopped) {
            return taken;
        }
        int room = Math.min(batchSize, 4 * batchSize - inFlight);
        while (room > 0 && !ready.isEmpty()) {
            Lane lane = ready.remove();
            forgetOld(lane);
            if (lane.waiting.isEmpty()) {
                lanes.remove(lane.correlationId);
                continue;
            }
            lane.state = State.WAITING;
            List<OutboxRow> rows =
                    lane.waiting.stream().limit(room).map(Held::row).toList();
            room -= rows.size();
            taken.add(new Taken(lane, rows));
        }
        return taken;
    }

    private void forgetOld(Lane lane) {
        long now = timeline.nanoTime();
        Held first = lane.waiting.peek();
        while (first != null && now - first.committed > tooOldNanos) {
            forget(lane.waiting.remove().row);
            first = lane.waiting.peek();
        }
    }

    private void forget(OutboxRow row) {
        held--;
        heldBytes -= row.bytes();
    }

    private void sendPart(Taken taken, NavigableSet<Long> present) {
        List<OutboxRow> part = free(taken, present);
        if (part.isEmpty()) {
            lookAgain(taken.lane, looksAgainIn(taken.lane));
            return;
        }
        Function<OutboundMessage, CompletableFuture<Void>> current = currentSender();
        new SendingInOrder(
                        part,
                        current,
                        blocking,
                        () -> !isStopped(),
                        (confirmed, failure) -> ended(taken.lane, part, confirmed, failure))
                .run();
    }

    private synchronized Function<OutboundMessage, CompletableFuture<Void>> currentSender() {
        if (sender == null) {
            throw new IllegalStateException("Not started");
        }
        return sender;
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    /** Those of the rows taken that are there and have no stranger before them; the lane is sending then. */
    private synchronized List<OutboxRow> free(Taken taken, NavigableSet<Long> present) {
        Lane lane = taken.lane;
        if (stopped) {
            return List.of();
        }
        NavigableSet<Long> strangers = new TreeSet<>(present);
        lane.waiting.forEach(one -> strangers.remove(one.row.id()));
        List<OutboxRow> part = new ArrayList<>();
        for (OutboxRow row : taken.rows) {
            boolean gone = !present.contains(row.id());
            if (!gone && !strangers.isEmpty() && strangers.first() < row.id()) {
                break;
            }
            lane.waiting.remove(); // rows are taken from the beginning
            if (gone) {
                forget(row);
            } else {
                part.add(row);
            }
        }
        if (!part.isEmpty()) {
            lane.state = State.SENDING;
            lane.looks = 0;
            inFlight += part.size();
        }
        return part;
    }

    private synchronized Duration looksAgainIn(Lane lane) {
        return lane.waiting.isEmpty()
                ? Duration.ZERO
                : FIRST_LOOK_AGAIN.multipliedBy(1L << Math.min(lane.looks++, MOST_DOUBLINGS));
    }

    private void lookAgain(Lane lane, Duration delay) {
        if (delay.isZero()) {
            release(lane);
        } else {
            timeline.schedule(delay, () -> release(lane));
        }
    }

    private void release(Lane lane) {
        synchronized (this) {
            lane.state = State.IDLE;
            if (lane.waiting.isEmpty()) {
                lanes.remove(lane.correlationId);
            } else {
                makeReady(lane);
            }
        }
        worker.ask();
    }

    private void ended(Lane lane, List<OutboxRow> part, int confirmed, @Nullable Throwable failure) {
        metrics.sent(confirmed);
        if (failure != null) {
            metrics.failed();
            LOG.warn(
                    "Message {} is stored in the outbox and could not be sent after its commit; it is tried again later: {}",
                    part.get(confirmed).messageId(),
                    failure.toString());
        }
        synchronized (this) {
            if (confirmed < part.size()) {
                lane.waiting.forEach(one -> forget(one.row));
                lane.waiting.clear();
            }
        }
        List<Long> ids = part.stream().limit(confirmed).map(OutboxRow::id).toList();
        settlement.settle(ids, null, () -> settled(lane, part));
    }

    private void settled(Lane lane, List<OutboxRow> part) {
        synchronized (this) {
            inFlight -= part.size();
            part.forEach(this::forget);
            completeIfIdle();
        }
        release(lane);
    }

    private void completeIfIdle() {
        if (stopped && inFlight == 0) {
            idle.complete(null);
        }
    }

    /** Begins nothing any more; completes when nothing is being sent. */
    synchronized CompletableFuture<Void> stop() {
        stopped = true;
        ready.clear();
        lanes.values().forEach(lane -> lane.waiting.clear());
        completeIfIdle();
        return idle;
    }
}
