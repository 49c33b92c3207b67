// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A driver whose libraries do not fit together. */
class FailingDriverTest {

    private final AtomicBoolean fails = new AtomicBoolean();

    private final DataSource dataSource = new AbstractDataSource() {
        @Override
        public Connection getConnection() throws SQLException {
            if (fails.compareAndSet(true, false)) {
                throw new NoClassDefFoundError("simulated");
            }
            return TestDatabase.H2.pool().getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    };

    /** Rows just taken for sending are looked at again; otherwise only the relay would ever send them. */
    @Test
    void holdsNoCorrelationOfTheDirectPath() {
        VirtualTimeline timeline = new VirtualTimeline();
        RecordingSender sender = new RecordingSender();
        JdbcOutbox outbox = new JdbcOutbox(
                dataSource,
                JdbcOutboxOptions.of(TestDatabase.newNode()),
                timeline,
                Runnable::run,
                new SimpleMeterRegistry());
        outbox.start(sender);
        new TransactionTemplate(new JdbcTransactionManager(dataSource)).executeWithoutResult(status -> {
            assertThat(outbox.add(OutboxUnderTest.message("c", "first"))).isTrue();
            fails.set(true);
        });
        assertThat(sender.ids()).isEmpty();
        timeline.advance(Duration.ofSeconds(2));

        assertThat(sender.ids()).containsExactly("first");
        outbox.stop();
    }
}
