// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.MisuseException;
import io.safebunny.jdbc.outbox.Lanes.Taken;
import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.jdbc.outbox.rows.SendingInOrder;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import java.sql.SQLException;
import java.time.Duration;
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
 * of row ids; {@linkplain Lanes lanes} run in parallel. Before a lane's rows are sent, the table is queried, for many lanes at once, for the
 * rows it holds. {@linkplain MissingRows Missing rows} are not sent. A row behind an earlier one of its correlation waits, because a commit
 * is visible in the table before this class learns of it. Rows that do not fit into memory, fail or get too old are left to the relay.
 * Thread-safe.
 */
final class DirectPath {

    private static final Logger LOG = LoggerFactory.getLogger(DirectPath.class);

    private static final String UNASKED = "The outbox could not be queried for what to send";

    private static final Duration FIRST_LOOK_AGAIN = Duration.ofMillis(20);
    private static final int MOST_DOUBLINGS = 5;
    private static final Duration NO_ANSWER_DELAY = Duration.ofSeconds(1);

    private final OutboxContext outbox;
    private final SentRows sentRows;
    private final MissingRows missing;
    private final Lanes lanes;
    private final SerialTask worker;
    private volatile @Nullable Function<OutboundMessage, CompletableFuture<Void>> sender;
    private volatile Runnable leftToRelay = () -> {};
    /** Set when rows were left to the relay. The relay is notified later, without a lock held. */
    private final AtomicBoolean leaves = new AtomicBoolean();

    DirectPath(OutboxContext outbox, SentRows sentRows) {
        this.outbox = outbox;
        this.sentRows = sentRows;
        this.missing = new MissingRows(outbox);
        this.lanes = new Lanes(outbox.options());
        this.worker = new SerialTask("sending committed messages", this::work, outbox.blocking(), outbox.timeline());
    }

    /** @param newLeftToRelay called when rows are left to the relay; must not block */
    void start(Function<OutboundMessage, CompletableFuture<Void>> newSender, Runnable newLeftToRelay) {
        leftToRelay = newLeftToRelay;
        missing.start(newLeftToRelay);
        sender = newSender;
        worker.request();
    }

    /**
     * Takes the rows of one transaction right after its commit. Does not block; rows beyond the memory bound are left to the
     * relay.
     */
    void add(List<OutboxRow> rows) {
        Lanes.Added added = lanes.add(rows, outbox.timeline().nanoTime());
        leave(added.left(), null);
        if (lanes.isStopped()) {
            return;
        }
        // the transaction may have stored more rows than it handed over
        leavesIf(added.isFull());
        if (sender != null) {
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

    /** Whether a message of the correlation is being sent. */
    boolean isSending(String correlationId) {
        return lanes.isSending(correlationId);
    }

    /** Number of rows waiting to be sent here or being sent. */
    int held() {
        return lanes.held();
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
                        taken.stream().flatMap(one -> one.rows().stream()).toList());
                outbox.log().databaseAnswers(UNASKED);
            } catch (SQLException | RuntimeException | Error e) { // pools and drivers throw these too
                outbox.log().noDatabase(UNASKED, e);
                taken.forEach(one -> lookAgain(one.lane(), NO_ANSWER_DELAY));
                return;
            }
            for (Taken one : taken) {
                sendPart(one, present.getOrDefault(one.correlationId(), new TreeSet<>()));
            }
            taken = take();
        }
    }

    private List<Taken> take() {
        if (sender == null) {
            return List.of();
        }
        Lanes.Batch batch = lanes.take(outbox.timeline().nanoTime());
        leavesIf(!batch.tooOld().isEmpty());
        leave(batch.tooOld(), null);
        return batch.taken();
    }

    /** Leaves the rows to the relay of this instance or another one. */
    private static void leave(List<OutboxRow> rows, @Nullable Throwable failure) {
        rows.forEach(row -> row.ended(PublishOutcome.STORED, failure));
    }

    private void sendPart(Taken taken, NavigableSet<Long> present) {
        Lane.Part part = lanes.free(taken, present);
        missing.add(part.gone());
        List<OutboxRow> free = part.free();
        if (free.isEmpty()) {
            lookAgain(taken.lane(), looksAgainIn(taken));
            return;
        }
        new SendingInOrder(
                        free,
                        currentSender(),
                        outbox.blocking(),
                        () -> !lanes.isStopped(),
                        (confirmed, failure) -> ended(taken.lane(), free, confirmed, failure))
                .run();
    }

    private Function<OutboundMessage, CompletableFuture<Void>> currentSender() {
        Function<OutboundMessage, CompletableFuture<Void>> current = sender;
        if (current == null) {
            throw new MisuseException(
                    MisuseException.NOT_RUNNING,
                    "The outbox is not started yet. Use it after the application has started, for example from an ApplicationRunner.");
        }
        return current;
    }

    private Duration looksAgainIn(Taken taken) {
        int looks = lanes.countLook(taken);
        return looks < 0 ? Duration.ZERO : FIRST_LOOK_AGAIN.multipliedBy(1L << Math.min(looks, MOST_DOUBLINGS));
    }

    private void lookAgain(Lane lane, Duration delay) {
        if (delay.isZero()) {
            release(lane);
        } else {
            outbox.timeline().schedule(delay, () -> release(lane));
        }
    }

    private void release(Lane lane) {
        lanes.release(lane);
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
        if (confirmed < part.size()) {
            leave(lanes.removeAll(lane), null);
        }
        List<Long> ids = part.stream().limit(confirmed).map(OutboxRow::id).toList();
        sentRows.settle(ids, null, () -> settled(lane, part, confirmed < part.size()));
    }

    private void settled(Lane lane, List<OutboxRow> part, boolean isPartLeft) {
        leavesIf(isPartLeft);
        lanes.settled(part);
        release(lane);
        tellRelay();
    }

    /** Starts no further sending. The result completes once nothing is being sent. */
    CompletableFuture<Void> stop() {
        List<OutboxRow> left = lanes.stop();
        missing.stop();
        worker.stop();
        leave(left, null);
        return lanes.idle();
    }
}
