// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.JdbcSchema;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What was committed must not be forgotten because the table that is asked does not hold it. */
@Timeout(60)
class MissingRowTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(MissingRows.class);
    private final @Nullable Level level = logger.getLevel();
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            logged.add(event.getLevel() + " " + event.getFormattedMessage());
        }
    };

    private static final ThreadLocal<@Nullable DataSource> TENANT = new ThreadLocal<>();
    private final JdbcDataSource ours = database();
    private final JdbcDataSource tenants = database();
    private final OutboxUnderTest instance = new OutboxUnderTest(
                    new Hidden(), TestDatabase.newNode(), new RecordingSender(), options -> options)
            .started();

    private static JdbcDataSource database() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        new JdbcTemplate(database).execute(JdbcSchema.of(database, "safebunny_").script());
        return database;
    }

    @BeforeEach
    void listen() {
        logger.setLevel(Level.WARN);
        logger.addAppender(appender);
        appender.start();
    }

    @BeforeEach
    void tellTheirIdsApart() {
        new JdbcTemplate(tenants).execute("alter table safebunny_outbox alter column id restart with 1000");
    }

    @AfterEach
    void close() {
        logger.detachAppender(appender);
        logger.setLevel(level);
        instance.outbox.stop();
        instance.close();
    }

    @Test
    void whatWasCommittedToAnotherDatabaseIsReported() {
        TENANT.set(tenants);
        try {
            instance.publishAndCommit("c", "for a tenant");
        } finally {
            TENANT.remove();
        }

        await().until(() -> instance.count("missing") == 1);
        await().until(() -> !logged.isEmpty());
        assertThat(logged)
                .singleElement()
                .asString()
                .contains("WARN Message for a tenant was stored in the outbox", "does not hold it", "correlation=c");
        assertThat(instance.sender.ids()).isEmpty();
        assertThat(new JdbcTemplate(tenants).queryForObject("select count(*) from safebunny_outbox", Integer.class))
                .isOne();
    }

    @Test
    void whatIsStillLookedForAtTheStopIsReportedThen() {
        TENANT.set(tenants);
        try {
            instance.publishAndCommit("c", "for a tenant");
        } finally {
            TENANT.remove();
        }
        instance.publishAndCommit("c", "of our own");
        await().until(() -> instance.sender.ids().contains("of our own"));
        instance.outbox.stop();

        assertThat(logged).singleElement().asString().contains("Message for a tenant was stored in the outbox");
    }

    @Test
    void whatIsRolledBackToASavepointIsNotMissing() {
        TransactionTemplate nested =
                new TransactionTemplate(Objects.requireNonNull(instance.transaction.getTransactionManager()));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        instance.transaction.executeWithoutResult(outer -> {
            instance.publish("c", "1");
            nested.executeWithoutResult(inner -> {
                instance.publish("c", "undone");
                nested.executeWithoutResult(innermost -> instance.publish("c", "undone too"));
                inner.setRollbackOnly();
            });
            nested.executeWithoutResult(inner -> instance.publish("c", "2"));
        });
        await().until(() -> instance.stored().isEmpty());
        instance.outbox.stop();

        assertThat(instance.sender.ids()).containsExactly("1", "2");
        assertThat(logged).isEmpty();
    }

    /** Chooses a database by thread, and says so to nobody. */
    private final class Hidden implements DataSource {

        @Override
        public Connection getConnection() throws SQLException {
            DataSource chosen = TENANT.get();
            return (chosen == null ? ours : chosen).getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public @Nullable PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public java.util.logging.Logger getParentLogger() {
            return java.util.logging.Logger.getGlobal();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("It does not say");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
