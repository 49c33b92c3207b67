// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.jdbc.outbox.rows.OutboxTable;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.OwnConnections;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Whoever waits until everything is sent must hear of each row that is left to the relay. */
class DirectPathTest {

    private static final JdbcOutboxOptions OPTIONS = JdbcOutboxOptions.of("shop");

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final AtomicInteger told = new AtomicInteger();
    private final DirectPath direct = direct();

    private DirectPath direct() {
        Connections connections = new OwnConnections(JdbcSchema.unwrap(TestDatabase.H2.pool()), Duration.ofSeconds(5));
        OutboxTable table = new OutboxTable(
                Database.of(JdbcSchema.unwrap(TestDatabase.H2.pool())),
                JdbcStoreOptions.DEFAULT_TABLE_PREFIX,
                TestDatabase.newNode(),
                timeline,
                Duration.ofSeconds(5));
        OutboxContext outbox = new OutboxContext(
                OPTIONS,
                connections,
                table,
                timeline,
                tasks::add,
                new OutboxMetrics(new SimpleMeterRegistry()),
                new OutboxLog(timeline, "outbox"));
        return new DirectPath(outbox, new SentRows(outbox));
    }

    private void start() {
        direct.start(message -> CompletableFuture.completedFuture(null), told::incrementAndGet);
        work();
    }

    private void work() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private static List<OutboxRow> rows(int count) {
        return LongStream.rangeClosed(1, count)
                .mapToObj(id -> new OutboxRow(-id, "c" + id, 0, OutboxUnderTest.message("c" + id, "m" + id)))
                .toList();
    }

    @Test
    void saysNothingOfRowsItSendsItself() {
        start();

        direct.add(rows(10));
        work();

        assertThat(told).hasValue(0);
        assertThat(direct.held()).isZero();
    }

    @Test
    void saysThatRowsBeyondItsBoundAreLeft() {
        start();

        direct.add(rows(Lanes.MOST_HELD + 1));

        assertThat(told).hasValue(1);
    }

    /** A transaction holds back what is beyond the bound, and cannot say so. */
    @Test
    void saysThatRowsMayBeLeftWhenItIsFull() {
        start();

        direct.add(rows(Lanes.MOST_HELD));

        assertThat(told).hasValue(1);
    }

    @Test
    void saysThatRowsThatGotTooOldAreLeft() {
        start();
        direct.add(rows(1));
        timeline.advance(OPTIONS.relayAfter());

        work();

        assertThat(told).hasValue(1);
        assertThat(direct.held()).isZero();
    }
}
