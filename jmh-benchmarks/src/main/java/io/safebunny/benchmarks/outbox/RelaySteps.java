// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.outbox;

import io.safebunny.benchmarks.contest.Bins;
import io.safebunny.store.Outbox;
import io.safebunny.transport.OutboundMessage;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Times the steps of relays: the claim of a batch, sending a message until it is confirmed, and the deletion of what has been sent. A step in
 * the database lasts as long as its connection is held. Thread-safe.
 */
final class RelaySteps {

    private final Bins claims = new Bins(0);
    private final Bins sent = new Bins(0);
    private final Bins deletions = new Bins(0);

    /** The median and 99th percentile of each step, of which there must have been at least one. */
    Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        put(figures, "claim", claims);
        put(figures, "send", sent);
        put(figures, "delete", deletions);
        return figures;
    }

    private static void put(Map<String, Double> figures, String step, Bins took) {
        figures.put(step + ", median ms", took.latencies().millis(0.5));
        figures.put(step + ", 99th percentile ms", took.latencies().millis(0.99));
    }

    private static void ended(Bins step, long begin) {
        long now = System.nanoTime();
        step.add(now, now - begin);
    }

    /** A data source whose connections are timed. */
    DataSource timed(DataSource pool) {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        RelaySteps.class.getClassLoader(), new Class<?>[] {Connection.class}, new Held(connection));
            }
        };
    }

    /** A connection until it is given back. For one thread. */
    private final class Held implements InvocationHandler {

        private final Connection connection;
        private final long begin = System.nanoTime();
        private String last = "";

        Held(Connection connection) {
            this.connection = connection;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            if (method.getName().equals("prepareStatement") && arguments != null) {
                last = (String) arguments[0];
            }
            try {
                return method.invoke(connection, arguments);
            } catch (InvocationTargetException e) {
                throw Objects.requireNonNullElse(e.getCause(), e);
            } finally {
                if (method.getName().equals("close")) {
                    closed();
                }
            }
        }

        /** A look that finds nothing updates nothing. */
        private void closed() {
            if (last.startsWith("update ")) {
                ended(claims, begin);
            } else if (last.startsWith("delete ")) {
                ended(deletions, begin);
            }
        }
    }

    /** The same outbox, whose messages are timed. */
    Outbox timed(Outbox outbox) {
        return new Outbox() {
            @Override
            public List<Unsent> findCorrelated(String correlationId, int limit) {
                return outbox.findCorrelated(correlationId, limit);
            }

            @Override
            public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
                return outbox.findCorrelationIds(messageId, limit, atMost);
            }

            @Override
            public boolean add(OutboundMessage message) {
                return outbox.add(message);
            }

            @Override
            public OptionalInt backlog() {
                return outbox.backlog();
            }

            @Override
            public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {
                outbox.start(message -> {
                    long begin = System.nanoTime();
                    return sender.apply(message).whenComplete((confirmed, failure) -> ended(sent, begin));
                });
            }

            @Override
            public void stop() {
                outbox.stop();
            }
        };
    }
}
