// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.transport.OutboundMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The broker is away while many transactions publish: one log line says so, and one says that it is over. */
@Timeout(60)
class OutboxOutageTest {

    private static final int MANY = 500;
    private static final String OVER = "Messages of the outbox are not confirmed: over after";

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.safebunny.jdbc");
    private final Level level = logger.getLevel();
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            logged.add(event.getFormattedMessage());
        }
    };
    private final AtomicBoolean away = new AtomicBoolean(true);

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        logger.addAppender(appender);
        appender.start();
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(appender);
        logger.setLevel(level);
    }

    private CompletableFuture<Void> send(OutboundMessage message) {
        return away.get()
                ? CompletableFuture.failedFuture(new ConnectionLostException(message.publication(), "test", null))
                : CompletableFuture.completedFuture(null);
    }

    @Test
    void isToldWhenItBeginsAndWhenItEnds() {
        try (OutboxUnderTest instance = OutboxUnderTest.on(TestDatabase.H2.pool())) {
            instance.outbox.start(this::send);
            for (int i = 1; i <= MANY; i++) {
                instance.publishAndCommit("c-" + i, "m-" + i);
            }
            Awaitility.await().until(() -> instance.count("failed") >= MANY);
            assertThat(logged).singleElement().asString().contains("could not be sent", "no connection");

            away.set(false);
            Awaitility.await().until(() -> {
                instance.makeDue();
                return instance.stored().isEmpty();
            });
            AtomicInteger later = new AtomicInteger();
            Awaitility.await().until(() -> {
                String id = "later-" + later.incrementAndGet();
                instance.publishAndCommit(id, id);
                return logged.stream().anyMatch(line -> line.startsWith(OVER));
            });
            assertThat(logged)
                    // a failure from before that is reported only now begins another outage
                    .hasSizeLessThanOrEqualTo(4);
        }
    }
}
