// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.outbox.rows.OutboxTable;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.OwnConnections;
import io.safebunny.jdbc.sql.SqlWork;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The callback of a settlement always comes, because its correlation is held until then. */
class SentRowsTest {

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private final Connections database =
            new OwnConnections(JdbcSchema.unwrap(TestDatabase.H2.pool()), Duration.ofSeconds(5));
    private final Deque<Error> errors = new ArrayDeque<>();

    private final Connections failing = new Connections() {
        @Override
        public <T> T once(SqlWork<T> work) throws SQLException {
            fail();
            return database.once(work);
        }

        @Override
        public <T> T together(SqlWork<T> work) throws SQLException {
            fail();
            return database.together(work);
        }

        private void fail() {
            Error next = errors.poll();
            if (next != null) {
                throw next;
            }
        }
    };

    private final SentRows sentRows = new SentRows(new OutboxContext(
            JdbcOutboxOptions.of("shop"),
            failing,
            new OutboxTable(
                    Database.of(JdbcSchema.unwrap(TestDatabase.H2.pool())),
                    JdbcStoreOptions.DEFAULT_TABLE_PREFIX,
                    TestDatabase.newNode(),
                    timeline,
                    Duration.ofSeconds(5)),
            timeline,
            tasks::add,
            new OutboxMetrics(new SimpleMeterRegistry()),
            new OutboxLog(timeline, "outbox")));

    private void work() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void tellsAfterAnErrorToo() {
        errors.add(new NoClassDefFoundError("simulated"));
        sentRows.settle(List.of(-1L), null, () -> done.add("first"));
        work();
        assertThat(done).isEmpty();
        assertThat(sentRows.isConfirmed(-1)).isTrue();

        timeline.advance(Duration.ofSeconds(1));
        work();

        assertThat(done).containsExactly("first");
        assertThat(sentRows.isConfirmed(-1)).isFalse();
    }

    @Test
    void tellsTheOthersWhenOneFails() {
        sentRows.settle(List.of(-1L), null, () -> {
            throw new IllegalStateException("a bug (simulated)");
        });
        sentRows.settle(List.of(-2L), null, () -> done.add("second"));
        work();

        assertThat(done).containsExactly("second");
        assertThat(sentRows.isConfirmed(-2)).isFalse();
    }
}
