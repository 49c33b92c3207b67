// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.Printable;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.work.SerialTask;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the rows that are due because nobody has sent them. A batch is locked, claimed by moving its due time into the future,
 * and sent outside the transaction. Whoever locks a correlation's first row owns the correlation: a locked row is claimed only if
 * every earlier row of its correlation is claimed too. Thread-safe.
 */
final class Relay {

    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private static final String UNSEEN = "The outbox could not be searched for unsent messages";

    /** Batches in flight at most. */
    private static final int AHEAD = 4;

    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(5);
    private static final int MOST_DOUBLINGS = 12;

    private final Connections connections;
    private final OutboxTable table;
    private final SentRows sentRows;
    private final DirectPath direct;
    private final Timeline timeline;
    private final Executor blocking;
    private final OutboxMetrics metrics;
    private final OutboxLog log;
    private final JdbcOutboxOptions options;
    private final Duration lease;
    private final SerialTask worker;

    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private @Nullable Function<OutboundMessage, CompletableFuture<Void>> sender;
    private int inFlight;
    private boolean tookSome;
    private boolean noRoom;
    private boolean stopped;
    private boolean looking;
    /** Whether rows wait that nobody else in this process will send, as far as is known. */
    private boolean hasWork;

    Relay(
            Connections connections,
            OutboxTable table,
            SentRows sentRows,
            DirectPath direct,
            Timeline timeline,
            Executor blocking,
            OutboxMetrics metrics,
            OutboxLog log,
            JdbcOutboxOptions options) {
        this.connections = connections;
        this.table = table;
        this.sentRows = sentRows;
        this.direct = direct;
        this.timeline = timeline;
        this.blocking = blocking;
        this.metrics = metrics;
        this.log = log;
        this.options = options;
        // with the defaults, as long as a publication may take
        this.lease = options.relayAfter().multipliedBy(3);
        this.worker = new SerialTask("relaying what was not sent", this::work, blocking, timeline);
    }

    void start(Function<OutboundMessage, CompletableFuture<Void>> newSender) {
        synchronized (this) {
            sender = newSender;
        }
        worker.request();
    }

    /** Told when rows in the table are left to the relays. Does not block. */
    void leftToRelay() {
        synchronized (this) {
            hasWork = true;
            if (looking) {
                return; // the next look is planned when this one ends
            }
        }
        worker.requestAfter(options.relayInterval(), Purpose.PROGRESS);
    }

    private void work() {
        synchronized (this) {
            looking = true;
        }
        try {
            int taken = takeAndSend();
            while (taken > 0) {
                taken = takeAndSend();
            }
            int rows = connections.once(connection -> table.count(connection, OutboxMetrics.MOST_COUNTED));
            metrics.backlog(rows);
            synchronized (this) {
                hasWork = rows > direct.held();
            }
            log.databaseAnswers(UNSEEN);
        } catch (SQLException | RuntimeException e) { // pools throw RuntimeExceptions too
            log.noDatabase(UNSEEN, e);
        } finally {
            worker.requestAfter(options.relayInterval(), purposeOfNextLook());
        }
    }

    private synchronized Purpose purposeOfNextLook() {
        looking = false;
        return hasWork ? Purpose.PROGRESS : Purpose.UPKEEP;
    }

    /** @return how many rows were claimed; 0 if none is due or enough are in flight */
    private int takeAndSend() throws SQLException {
        Function<OutboundMessage, CompletableFuture<Void>> current;
        int room;
        synchronized (this) {
            if (sender == null || stopped) {
                return 0;
            }
            current = sender;
            room = Math.min(options.batchSize(), AHEAD * options.batchSize() - inFlight);
            noRoom = room <= 0;
        }
        if (room <= 0) {
            return 0;
        }
        long before = timeline.nanoTime();
        List<ClaimedRow> rows = connections.together(connection -> claim(connection, room));
        if (rows.isEmpty()) {
            return 0;
        }
        synchronized (this) {
            inFlight += rows.size();
            tookSome = true;
        }
        LOG.debug("Relaying messages that were not sent after their commit [count={}]", rows.size());
        Map<String, List<ClaimedRow>> byCorrelation = rows.stream()
                .collect(Collectors.groupingBy(ClaimedRow::correlationId, LinkedHashMap::new, Collectors.toList()));
        byCorrelation.values().forEach(some -> send(some, current, before));
        return rows.size();
    }

    private List<ClaimedRow> claim(Connection connection, int limit) throws SQLException {
        List<ClaimedRow> locked = table.lockDue(connection, limit);
        if (locked.isEmpty()) {
            return locked;
        }
        Set<String> correlations =
                locked.stream().map(ClaimedRow::correlationId).collect(Collectors.toSet());
        Map<String, NavigableSet<Long>> present = table.present(
                connection, correlations, locked.get(locked.size() - 1).id());
        List<ClaimedRow> taken = new ArrayList<>();
        for (ClaimedRow row : locked) {
            NavigableSet<Long> ahead = present.get(row.correlationId());
            // claimed rows are removed from this set, so any other id at its head belongs to somebody else
            if (ahead != null
                    && !ahead.isEmpty()
                    && ahead.first() == row.id()
                    && !direct.isSending(row.correlationId())) {
                ahead.remove(row.id());
                taken.add(row);
            }
        }
        if (!taken.isEmpty()) {
            table.defer(connection, taken.stream().map(ClaimedRow::id).toList(), lease);
        }
        return taken;
    }

    /** @param before when they were taken, at the latest */
    private void send(
            List<ClaimedRow> claimed, Function<OutboundMessage, CompletableFuture<Void>> current, long before) {
        List<OutboxRow> rows = new ArrayList<>();
        ClaimedRow unreadable = null;
        for (ClaimedRow row : claimed) {
            if (sentRows.isConfirmed(row.id())) {
                continue; // already confirmed, only not deleted yet
            }
            try {
                rows.add(row.read());
            } catch (IllegalArgumentException e) {
                log.unreadable(
                        row.messageId(),
                        () -> LOG.error(
                                "Message {} in row {} of {} cannot be read; it stays there and blocks the later messages of its correlation. Start a newer version of the application, or delete the row.",
                                row.messageId(),
                                row.id(),
                                table.name(),
                                Printable.inLines(e)));
                unreadable = row;
                break;
            }
        }
        ClaimedRow stop = unreadable;
        new SendingInOrder(
                        rows,
                        current,
                        blocking,
                        () -> !isStopped() && !isOver(before),
                        (confirmed, failure) -> ended(new Claim(claimed, rows, stop, before), confirmed, failure))
                .run();
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    /**
     * Claimed rows of one correlation.
     *
     * @param rows the readable ones, to be sent
     * @param unreadable the row behind them that stops the sending, if any
     * @param before when they were taken, at the latest
     */
    private record Claim(
            List<ClaimedRow> claimed,
            List<OutboxRow> rows,
            @Nullable ClaimedRow unreadable,
            long before) {}

    private void ended(Claim claim, int confirmed, @Nullable Throwable failure) {
        metrics.relayed(confirmed);
        if (confirmed > 0) {
            log.sent();
        }
        List<Long> done =
                claim.rows.stream().limit(confirmed).map(OutboxRow::id).toList();
        sentRows.settle(done, putOff(claim, confirmed, failure), () -> settled(claim.claimed.size()));
    }

    private SentRows.@Nullable PutOff putOff(Claim claim, int confirmed, @Nullable Throwable failure) {
        if (confirmed == claim.rows.size()) {
            return claim.unreadable == null
                    ? null
                    : failed(claim, claim.unreadable.id(), claim.unreadable.attempts(), null);
        }
        OutboxRow row = claim.rows.get(confirmed);
        if (failure == null) {
            // not tried: either the lease is over and others have the rows, or we are stopping and give them back
            return isOver(claim.before)
                    ? null
                    : new SentRows.PutOff(null, idsFrom(claim.claimed, row.id()), Duration.ZERO);
        }
        log.unsent(
                failure,
                row.messageId(),
                () -> LOG.warn(
                        "Message {} is stored in the outbox and could not be sent by the relay [tries={}]; retrying in {} s: {}",
                        row.messageId(),
                        row.attempts() + 1,
                        backOff(row.attempts(), failure).toSeconds(),
                        failure.toString()));
        return failed(claim, row.id(), row.attempts(), failure);
    }

    private SentRows.PutOff failed(Claim claim, long id, int attempts, @Nullable Throwable failure) {
        metrics.failed();
        return new SentRows.PutOff(id, idsFrom(claim.claimed, id), backOff(attempts, failure));
    }

    private boolean isOver(long before) {
        return timeline.nanoTime() - before >= lease.toNanos();
    }

    private static List<Long> idsFrom(List<ClaimedRow> claimed, long first) {
        return claimed.stream().map(ClaimedRow::id).filter(id -> id >= first).toList();
    }

    /**
     * Doubles with each failure of the message itself. During an outage of the broker it does not: the message should follow soon
     * after the broker is back.
     */
    private Duration backOff(int attempts, @Nullable Throwable failure) {
        if (failure instanceof ConnectionLostException || failure instanceof PublishTimeoutException) {
            return options.relayInterval();
        }
        Duration doubled = options.relayInterval().multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
        return doubled.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : doubled;
    }

    private void settled(int rows) {
        boolean more;
        synchronized (this) {
            inFlight -= rows;
            if (stopped && inFlight == 0) {
                idle.complete(null);
            }
            // look again at once: later rows of these correlations are free now, and there is room
            more = noRoom && inFlight <= AHEAD * options.batchSize() / 2;
            if (inFlight == 0) {
                more |= tookSome;
                tookSome = false;
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
        if (inFlight == 0) {
            idle.complete(null);
        }
        return idle;
    }
}
