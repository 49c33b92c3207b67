// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.details.Printable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes confirmed rows and defers failed ones, in batches: the next one collects while one is being written. Retries until the database
 * answers; confirmed rows not deleted before a crash are sent again. Thread-safe.
 */
final class SentRows {

    private static final Logger LOG = LoggerFactory.getLogger(SentRows.class);

    private static final String UNDELETED = "Sent messages could not be deleted from the outbox";

    private static final Duration NO_ANSWER_DELAY = Duration.ofSeconds(1);

    private final OutboxContext outbox;
    private final SerialTask worker;
    private final Deque<Item> waiting = new ArrayDeque<>();
    private final Set<Long> confirmed = ConcurrentHashMap.newKeySet();

    /**
     * A row to retry later, together with those behind it.
     *
     * @param failures number of attempts to add, 0 if it was not tried
     */
    record PutOff(long id, Duration dueIn, int failures) {}

    /** @param done called once the table has been written */
    private record Item(List<Long> confirmed, @Nullable PutOff putOff, Runnable done) {}

    SentRows(OutboxContext outbox) {
        this.outbox = outbox;
        this.worker = new SerialTask("deleting sent messages", this::work, outbox.blocking(), outbox.timeline());
    }

    /**
     * Does not block.
     *
     * @param done called once the table has been written, on any thread
     */
    void settle(List<Long> confirmedIds, @Nullable PutOff putOff, Runnable done) {
        if (confirmedIds.isEmpty() && putOff == null) {
            done.run();
            return;
        }
        confirmed.addAll(confirmedIds);
        synchronized (this) {
            waiting.add(new Item(confirmedIds, putOff, done));
        }
        worker.request();
    }

    /** Whether the row is confirmed but may still be in the table. */
    boolean isConfirmed(long id) {
        return confirmed.contains(id);
    }

    private void work() {
        List<Item> batch = next();
        while (!batch.isEmpty()) {
            try {
                write(batch);
                outbox.log().databaseAnswers(UNDELETED);
            } catch (SQLException | RuntimeException | Error e) { // pools and drivers throw these too
                outbox.log().noDatabase(UNDELETED, e);
                putBack(batch);
                worker.requestAfter(NO_ANSWER_DELAY);
                return;
            }
            for (Item item : batch) {
                item.confirmed.forEach(confirmed::remove);
                tell(item);
            }
            batch = next();
        }
    }

    /** Calls the callback; if it fails, the others must not be affected. */
    private static void tell(Item item) {
        try {
            item.done.run();
        } catch (RuntimeException | Error e) {
            LOG.error(
                    "SafeBunny failed internally after deleting or deferring rows of the outbox", Printable.inLines(e));
        }
    }

    private synchronized List<Item> next() {
        List<Item> batch = new ArrayList<>();
        int rows = 0;
        while (!waiting.isEmpty() && rows < outbox.options().batchSize()) {
            Item item = waiting.remove();
            batch.add(item);
            rows += item.confirmed.size() + (item.putOff == null ? 0 : 1);
        }
        return batch;
    }

    private synchronized void putBack(List<Item> batch) {
        for (int i = batch.size() - 1; i >= 0; i--) {
            waiting.addFirst(batch.get(i));
        }
    }

    /** Defers failed rows before deleting confirmed ones, because after the deletion the rows behind a failed one would count as due. */
    private void write(List<Item> batch) throws SQLException {
        List<Long> ids = batch.stream()
                .flatMap(item -> item.confirmed.stream())
                .sorted() // two writers that lock the same rows in different orders deadlock
                .toList();
        List<PutOff> putOffs =
                batch.stream().map(Item::putOff).flatMap(Stream::ofNullable).toList();
        if (!putOffs.isEmpty()) {
            outbox.connections().together(connection -> {
                for (PutOff putOff : putOffs) {
                    outbox.table().defer(connection, List.of(putOff.id), putOff.dueIn, putOff.failures);
                }
                return true;
            });
        }
        if (!ids.isEmpty()) {
            outbox.connections().once(connection -> {
                outbox.table().delete(connection, ids);
                return true;
            });
        }
    }
}
