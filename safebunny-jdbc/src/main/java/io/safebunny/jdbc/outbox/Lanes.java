// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.outbox.rows.OutboxRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.CompletableFuture;

/**
 * The rows that wait in memory, one {@link Lane} per correlation: only as many as fit, and not beyond the time when the relay takes over.
 * Knows which lanes are to be sent next, and how many rows are being sent. Thread-safe.
 */
final class Lanes {

    static final int MOST_HELD = 10_000;
    static final long MOST_BYTES = 32L << 20;

    private final int batchSize;
    private final long tooOldNanos;
    private final Map<String, Lane> lanes = new HashMap<>();
    private final Deque<Lane> ready = new ArrayDeque<>();
    private final CompletableFuture<Void> idle = new CompletableFuture<>();

    private int held;
    private long heldBytes;
    private int inFlight;
    private boolean stopped;

    /**
     * @param left rows that do not fit
     * @param isFull whether another row would not fit
     */
    record Added(List<OutboxRow> left, boolean isFull) {}

    /** The first rows of a lane, which is {@code WAITING}. */
    record Taken(Lane lane, List<OutboxRow> rows) {
        String correlationId() {
            return lane.correlationId();
        }
    }

    /** @param tooOld rows that were removed because of their age */
    record Batch(List<Taken> taken, List<OutboxRow> tooOld) {}

    Lanes(JdbcOutboxOptions options) {
        this.batchSize = options.batchSize();
        // well before the relay claims the row, so that it is not sent twice
        this.tooOldNanos = options.relayAfter().toNanos() * 3 / 4;
    }

    /** Takes as many of the rows as fit into memory; none once stopped. */
    synchronized Added add(List<OutboxRow> rows, long now) {
        int added = 0;
        while (added < rows.size() && !stopped && !isFull()) {
            OutboxRow row = rows.get(added++);
            held++;
            heldBytes += row.bytes();
            Lane lane = lanes.computeIfAbsent(row.correlationId(), Lane::new);
            lane.add(row, now);
            makeReady(lane);
        }
        return new Added(rows.subList(added, rows.size()), isFull());
    }

    private boolean isFull() {
        return held >= MOST_HELD || heldBytes >= MOST_BYTES;
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

    /** Number of rows waiting to be sent or being sent. */
    synchronized int held() {
        return held;
    }

    synchronized boolean isStopped() {
        return stopped;
    }

    /** The next lanes to send, with at most one batch of rows, fewer while many rows are being sent. */
    synchronized Batch take(long now) {
        List<Taken> taken = new ArrayList<>();
        List<OutboxRow> tooOld = new ArrayList<>();
        int room = Math.min(batchSize, 4 * batchSize - inFlight);
        while (room > 0 && !ready.isEmpty()) {
            Lane lane = ready.remove();
            List<OutboxRow> older = lane.removeOlder(now, tooOldNanos);
            tooOld.addAll(older);
            forget(older);
            if (lane.isEmpty()) {
                lanes.remove(lane.correlationId());
                continue;
            }
            lane.state = Lane.State.WAITING;
            List<OutboxRow> rows = lane.first(room);
            room -= rows.size();
            taken.add(new Taken(lane, rows));
        }
        return new Batch(taken, tooOld);
    }

    private void forget(List<OutboxRow> rows) {
        held -= rows.size();
        rows.forEach(row -> heldBytes -= row.bytes());
    }

    /**
     * Takes the rows that may be sent now. If there are any, the lane is {@code SENDING} afterwards. None once stopped.
     *
     * @param present the ids of this correlation that the table holds
     */
    synchronized Lane.Part free(Taken taken, NavigableSet<Long> present) {
        if (stopped) {
            return new Lane.Part(List.of(), List.of());
        }
        Lane.Part part = taken.lane.take(taken.rows, present);
        forget(part.gone());
        if (!part.free().isEmpty()) {
            taken.lane.state = Lane.State.SENDING;
            taken.lane.looks = 0;
            inFlight += part.free().size();
        }
        return part;
    }

    /**
     * @return how often the table had already been queried in vain for the lane's first row; -1 if the lane now has another first row, or
     *     none
     */
    synchronized int countLook(Taken taken) {
        Lane lane = taken.lane;
        return lane.isEmpty() || lane.hasBefore(taken.rows.get(0)) ? -1 : lane.looks++;
    }

    /** Call when work on the lane has ended; it is queued again if it has rows. */
    synchronized void release(Lane lane) {
        lane.state = Lane.State.IDLE;
        if (lane.isEmpty()) {
            lanes.remove(lane.correlationId());
        } else {
            makeReady(lane);
        }
    }

    /** @return the rows of the lane, which are no longer held */
    synchronized List<OutboxRow> removeAll(Lane lane) {
        List<OutboxRow> rows = lane.removeAll();
        forget(rows);
        return rows;
    }

    /** Call when the sending of these rows has ended, with or without success. */
    synchronized void settled(List<OutboxRow> part) {
        inFlight -= part.size();
        forget(part);
        completeIfIdle();
    }

    private void completeIfIdle() {
        if (stopped && inFlight == 0) {
            idle.complete(null);
        }
    }

    /**
     * Neither takes nor gives rows any more.
     *
     * @return those that were waiting
     */
    synchronized List<OutboxRow> stop() {
        stopped = true;
        ready.clear();
        List<OutboxRow> left = new ArrayList<>();
        lanes.values().forEach(lane -> left.addAll(removeAll(lane)));
        completeIfIdle();
        return left;
    }

    /** Completes when this is stopped and no row is being sent. */
    CompletableFuture<Void> idle() {
        return idle;
    }
}
