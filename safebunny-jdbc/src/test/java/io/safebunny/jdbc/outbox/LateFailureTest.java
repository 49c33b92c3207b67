// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is published after the commit of its transaction cannot be stored; what was published before it is. */
class LateFailureTest {

    private final AtomicBoolean commitFails = new AtomicBoolean();
    private final Map<String, PublishOutcome> told = new TreeMap<>();
    private final VirtualTimeline timeline = new VirtualTimeline();
    private final RecordingSender sender = new RecordingSender();

    private final DataSource dataSource = new AbstractDataSource() {
        @Override
        public Connection getConnection() throws SQLException {
            Connection real = TestDatabase.H2.pool().getConnection();
            return (Connection) Proxy.newProxyInstance(
                    LateFailureTest.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, args) -> {
                        if (method.getName().equals("commit") && commitFails.compareAndSet(true, false)) {
                            real.rollback();
                            throw new SQLException("simulated");
                        }
                        try {
                            return method.invoke(real, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    };

    private final JdbcOutbox outbox = new JdbcOutbox(
            dataSource,
            JdbcOutboxOptions.of(TestDatabase.newNode()),
            timeline,
            Runnable::run,
            new SimpleMeterRegistry());

    private OutboundMessage message(String id) {
        return OutboxUnderTest.message(id, id).watchedBy((outcome, failure) -> told.put(id, outcome));
    }

    private void publish(boolean fails) {
        outbox.start(sender);
        new TransactionTemplate(new JdbcTransactionManager(dataSource)).executeWithoutResult(status -> {
            assertThat(outbox.add(message("early"))).isTrue();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    assertThat(outbox.add(message("late"))).isTrue();
                    commitFails.set(fails);
                }
            });
        });
        timeline.advance(Duration.ofSeconds(2));
        outbox.stop();
    }

    @Test
    void eachIsToldWhatBecameOfIt() {
        publish(true);

        assertThat(sender.ids()).containsExactly("early");
        assertThat(told).isEqualTo(Map.of("early", PublishOutcome.CONFIRMED, "late", PublishOutcome.DROPPED));
    }

    @Test
    void bothAreSentIfItCan() {
        publish(false);

        assertThat(sender.ids()).containsExactly("early", "late");
        assertThat(told).isEqualTo(Map.of("early", PublishOutcome.CONFIRMED, "late", PublishOutcome.CONFIRMED));
    }
}
