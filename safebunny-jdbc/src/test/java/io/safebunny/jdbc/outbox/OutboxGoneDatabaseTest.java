// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The database goes away first, as at a shutdown: each part of the outbox logs one line. */
@Timeout(60)
class OutboxGoneDatabaseTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.safebunny.jdbc");
    private final Level level = logger.getLevel();
    private final List<ILoggingEvent> logged = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            logged.add(event);
        }
    };

    @BeforeEach
    void listen() {
        logger.setLevel(Level.WARN);
        logger.addAppender(appender);
        appender.start();
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(appender);
        logger.setLevel(level);
    }

    private boolean isLogged(String text) {
        return logged.stream().anyMatch(event -> event.getFormattedMessage().contains(text));
    }

    @Test
    void oneLineEach() {
        CompletableFuture<Void> confirm = new CompletableFuture<>();
        try (HikariDataSource pool = TestDatabase.H2.newPool(
                config -> config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"))) {
            TestDatabase.createTable(pool, JdbcStoreOptions.DEFAULT_TABLE_PREFIX);
            try (OutboxUnderTest instance = OutboxUnderTest.on(pool)) {
                List<String> sent = new CopyOnWriteArrayList<>();
                instance.outbox.start(message -> {
                    sent.add(String.valueOf(message.message().messageId()));
                    return confirm;
                });
                instance.publishAndCommit("c", "m");
                Awaitility.await().until(() -> sent.equals(List.of("m")));
                pool.close();
                confirm.complete(null);
                Awaitility.await().until(() -> isLogged("could not be deleted") && isLogged("could not be searched"));
            }
        }
        assertThat(logged).isNotEmpty().allSatisfy(event -> assertThat(event.getThrowableProxy())
                .isNull());
    }
}
