// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.details.Printable;
import io.safebunny.jdbc.outbox.rows.ClaimedRow;
import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.jdbc.outbox.rows.OutboxTable.Counted;
import io.safebunny.jdbc.outbox.rows.SendingInOrder;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.transport.OutboundMessage;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends rows that were not sent right after their commit. {@linkplain DueRows Claims} a batch and sends it outside the claiming
 * transaction. Thread-safe.
 */
final class Relay {

    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private static final String UNSEEN = "The outbox could not be searched for unsent messages";

    /** Maximum number of rows deferred in one pass; they come last in the next one. */
    private static final int MOST_PUT_OFF = 10_000;

    /**
     * A look that finds nothing may take this part of the time, but there is one each minute: while somebody holds a transaction open, deleted
     * rows stay in the index, and each look reads them all.
     */
    private static final int PART = 20;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(5);
    private static final int MOST_DOUBLINGS = 12;

    private final OutboxContext outbox;
    private final SentRows sentRows;
    private final DirectPath direct;
    private final Destinations destinations;
    private final DueRows dueRows;
    private final Duration lease;
    private final SerialTask worker;

    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private @Nullable Function<OutboundMessage, CompletableFuture<Void>> sender;
    private final RunsInFlight inFlight;
    private boolean stopped;
    private boolean looking;
    /** Whether the table is known to hold rows that nobody but the relay will send. */
    private boolean hasWork;

    private volatile @Nullable String problem;
    private volatile @Nullable Instant unreadableAt;
    /** When the database last answered; {@code null} before the start. A pass may last: it counts only at its end. */
    private volatile @Nullable Instant answeredAt;

    Relay(OutboxContext outbox, SentRows sentRows, DirectPath direct, Destinations destinations) {
        this.outbox = outbox;
        this.sentRows = sentRows;
        this.direct = direct;
        this.destinations = destinations;
        // with the defaults, equal to the time that publishing may take
        this.lease = outbox.options().relayAfter().multipliedBy(3);
        this.dueRows = new DueRows(outbox, sentRows, direct, destinations, lease);
        this.inFlight = new RunsInFlight(outbox.timeline(), outbox.options().batchSize());
        this.worker = new SerialTask("relaying unsent messages", this::work, outbox.blocking(), outbox.timeline());
    }

    void start(Function<OutboundMessage, CompletableFuture<Void>> newSender) {
        answeredAt = outbox.timeline().now();
        synchronized (this) {
            sender = newSender;
        }
        worker.request();
    }

    /** Call when rows are left to the relay. Does not block. */
    void leftToRelay() {
        synchronized (this) {
            hasWork = true;
            if (looking) {
                return; // the running pass schedules the next one
            }
        }
        worker.requestAfter(outbox.options().relayInterval(), Purpose.PROGRESS);
    }

    private void work() {
        synchronized (this) {
            looking = true;
        }
        long began = outbox.timeline().nanoTime();
        boolean idle = false;
        try {
            idle = !look();
            Counted counted = outbox.connections()
                    .once(connection -> outbox.table().count(connection, OutboxMetrics.MOST_COUNTED));
            answeredAt = outbox.timeline().now();
            outbox.metrics().backlog(counted, outbox.timeline().now());
            synchronized (this) {
                hasWork = counted.rows() > direct.held();
                idle &= !hasWork;
            }
            outbox.log().databaseAnswers(UNSEEN);
            problem = null;
        } catch (SQLException | RuntimeException e) { // pools also throw RuntimeExceptions
            outbox.log().noDatabase(UNSEEN, e);
            problem = "The database does not answer the relay (%s): check it; the log has more."
                    .formatted(e.getClass().getName());
        } finally {
            Duration interval = outbox.options().relayInterval();
            worker.requestAfter(
                    idle ? pauseAfter(outbox.timeline().nanoTime() - began, interval) : interval, purposeOfNextLook());
        }
    }

    private static Duration pauseAfter(long nanos, Duration interval) {
        Duration pause = Duration.ofNanos(Math.min(nanos * PART, LONGEST_PAUSE.toNanos()));
        return pause.compareTo(interval) > 0 ? pause : interval;
    }

    private synchronized Purpose purposeOfNextLook() {
        looking = false;
        return hasWork ? Purpose.PROGRESS : Purpose.UPKEEP;
    }

    /** Returns whether there was anything to do, or nothing could be done. */
    private boolean look() throws SQLException {
        long began = outbox.timeline().nanoTime();
        int putOff = 0;
        boolean found = false;
        DueRows.Batch batch = DueRows.Batch.NONE;
        do {
            Function<OutboundMessage, CompletableFuture<Void>> current;
            int room;
            synchronized (this) {
                if (sender == null || stopped) {
                    return true;
                }
                current = sender;
                room = inFlight.room();
            }
            if (room == 0) {
                return true;
            }
            int most = destinations.isAway() ? Math.min(room, Destinations.FEW) : room;
            batch = dueRows.take(most, Duration.ofNanos(outbox.timeline().nanoTime() - began));
            answeredAt = outbox.timeline().now();
            found |= !batch.isEmpty();
            putOff += batch.putOff();
            batch.unreadable().forEach(this::unreadable);
            send(batch.runs(), current);
            // while the broker is unreachable, a few tries are enough
        } while (!batch.isEmpty() && putOff < MOST_PUT_OFF && !destinations.isAway());
        return found;
    }

    private void send(List<Run> runs, Function<OutboundMessage, CompletableFuture<Void>> current) {
        synchronized (this) {
            inFlight.begin(runs);
        }
        if (!runs.isEmpty()) {
            LOG.debug("Relaying messages that were not sent after their commit [correlations={}]", runs.size());
        }
        for (Run run : runs) {
            new SendingInOrder(
                            run.rows(),
                            current,
                            outbox.blocking(),
                            () -> goesOn(run),
                            (confirmed, failure) -> ended(run, confirmed, failure))
                    .run();
        }
    }

    private boolean goesOn(Run run) {
        run.moves(outbox.timeline().nanoTime());
        return !isStopped() && !isOver(run);
    }

    /** Why the rows cannot be counted, as a sentence; {@code null} if they can. */
    @Nullable
    String problem() {
        if (isStopped()) {
            return "The relay is stopped, because this instance stops.";
        }
        Duration interval = outbox.options().relayInterval();
        Duration patience = (interval.compareTo(LONGEST_PAUSE) > 0 ? interval : LONGEST_PAUSE).multipliedBy(2);
        Instant last = answeredAt;
        boolean hangs =
                last != null && last.plus(patience).isBefore(outbox.timeline().now());
        return problem == null && hangs
                ? "The relay waits for a connection or an answer of the database: check both."
                : problem;
    }

    /** Why rows stay that no destination is to blame for, as sentences. */
    List<String> causes() {
        Instant at = unreadableAt;
        return at == null
                        || at.plus(LONGEST_BACK_OFF.multipliedBy(2))
                                .isBefore(outbox.timeline().now())
                ? List.of()
                : List.of(
                        "Messages were written by a newer version, or damaged, and cannot be read: the log names them.");
    }

    private void unreadable(ClaimedRow row, IllegalArgumentException reason) {
        unreadableAt = outbox.timeline().now();
        outbox.log()
                .unreadable(
                        row.messageId(),
                        () -> LOG.error(
                                "Message {} in row {} of {} cannot be read; it stays there and blocks the later messages of its correlation. Start a newer version of the application, or delete the row.",
                                row.messageId(),
                                row.id(),
                                outbox.table().name(),
                                Printable.inLines(reason)));
        sentRows.settle(List.of(), failed(row.id(), row.attempts(), null), () -> {});
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    private void ended(Run run, int confirmed, @Nullable Throwable failure) {
        outbox.metrics().relayed(confirmed);
        if (confirmed > 0) {
            outbox.log().sent();
        }
        List<Long> done =
                run.rows().stream().limit(confirmed).map(OutboxRow::id).toList();
        sentRows.settle(done, putOff(run, confirmed, failure), () -> settled(run));
    }

    private SentRows.@Nullable PutOff putOff(Run run, int confirmed, @Nullable Throwable failure) {
        if (confirmed == run.rows().size()) {
            return null;
        }
        OutboxRow row = run.rows().get(confirmed);
        if (failure == null) {
            // not tried: either the lease is over and others own the rows, or the relay is stopping and gives them back
            return isOver(run) ? null : new SentRows.PutOff(row.id(), Duration.ZERO, 0);
        }
        outbox.log()
                .unsent(
                        failure,
                        row.messageId(),
                        () -> LOG.warn(
                                "Message {} is stored in the outbox and could not be sent by the relay [tries={}]; retrying in {} s: {}",
                                row.messageId(),
                                row.attempts() + 1,
                                backOff(row.attempts(), failure).toSeconds(),
                                failure.toString()));
        return failed(row.id(), row.attempts(), failure);
    }

    private SentRows.PutOff failed(long id, int attempts, @Nullable Throwable failure) {
        outbox.metrics().failed();
        return new SentRows.PutOff(id, backOff(attempts, failure), 1);
    }

    private boolean isOver(Run run) {
        return outbox.timeline().nanoTime() - run.claimed() >= lease.toNanos();
    }

    /**
     * Doubles with each failure of the message itself, but not during a broker outage, so that the message follows soon after the broker is
     * back.
     */
    private Duration backOff(int attempts, @Nullable Throwable failure) {
        if (failure instanceof ConnectionLostException || failure instanceof PublishTimeoutException) {
            return outbox.options().relayInterval();
        }
        Duration doubled = outbox.options().relayInterval().multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
        return doubled.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : doubled;
    }

    private void settled(Run run) {
        boolean more;
        synchronized (this) {
            more = inFlight.end(run);
            if (stopped && inFlight.isEmpty()) {
                idle.complete(null);
            }
        }
        if (more) {
            worker.request();
        }
    }

    /** Starts no further sending. The result completes once nothing is being sent. */
    synchronized CompletableFuture<Void> stop() {
        stopped = true;
        worker.stop();
        if (inFlight.isEmpty()) {
            idle.complete(null);
        }
        return idle;
    }
}
