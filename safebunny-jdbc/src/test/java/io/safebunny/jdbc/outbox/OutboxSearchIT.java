// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.Outbox;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.StoredPage;
import io.safebunny.transport.OutboundMessage;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What people look for in the outbox is all found, and ends in time. */
class OutboxSearchIT {

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void findsManyInTheirOrder(TestDatabase database) {
        try (OutboxUnderTest instance = OutboxUnderTest.on(database.pool())) {
            String[] ids = IntStream.range(0, 45).mapToObj(i -> "m" + i).toArray(String[]::new);
            instance.publishAndCommit("c", ids);

            assertThat(instance.outbox.findCorrelated("c", 100))
                    .extracting(Outbox.Unsent::messageId)
                    .containsExactly(ids);
            assertThat(instance.outbox.findCorrelated("c", 33)).hasSize(33);
            instance.sql.update("delete from safebunny_outbox where node = ?", instance.node);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void readsAllPartByPart(TestDatabase database) {
        try (OutboxUnderTest instance = OutboxUnderTest.on(database.pool());
                OutboxUnderTest other = OutboxUnderTest.on(database.pool())) {
            String[] ids = IntStream.range(0, 45).mapToObj(i -> "m" + i).toArray(String[]::new);
            instance.publishAndCommit("c", ids);
            other.publishAndCommit("c", "theirs");

            for (int limit : new int[] {1, 7, 100}) {
                List<String> read = new ArrayList<>();
                String next = null;
                do {
                    StoredPage<OutboundMessage> part = instance.outbox.findAll(next, limit);
                    assertThat(part.rows()).hasSizeLessThanOrEqualTo(limit);
                    part.rows().forEach(message -> read.add(message.message().messageId()));
                    next = part.next();
                } while (next != null);
                assertThat(read).containsExactly(ids);
            }
            instance.sql.update("delete from safebunny_outbox where node in (?, ?)", instance.node, other.node);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    @Timeout(30)
    void aSearchEndsInTimeAndKeepsOthersFromBeginningOne(TestDatabase database) throws Exception {
        try (OutboxUnderTest instance = OutboxUnderTest.on(database.pool());
                Connection other = database.anotherPool().getConnection();
                Statement lock = other.createStatement()) {
            boolean isPostgres = database == TestDatabase.POSTGRESQL;
            other.setAutoCommit(!isPostgres);
            lock.execute(
                    isPostgres
                            ? "lock table safebunny_outbox in access exclusive mode"
                            : "lock tables safebunny_outbox write");
            Callable<List<String>> search = () -> instance.outbox.findCorrelationIds("m", 10, Duration.ofMillis(900));
            long before = System.nanoTime();
            List<Future<List<String>>> both = threads.invokeAll(List.of(search, search));

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
            lock.execute(isPostgres ? "rollback" : "unlock tables");
            other.setAutoCommit(true);
            assertThat(both.stream().map(OutboxSearchIT::text))
                    .anyMatch(text ->
                            text.contains("The outbox could not be searched for a message id [message_id=m, at-most="))
                    .anyMatch(text -> text.contains("[message_id=m]: another such search is running"));
        }
    }

    private static String text(Future<List<String>> failed) {
        Throwable thrown = Assertions.catchThrowable(failed::get);
        assertThat(thrown).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(StoreUnavailableException.class);
        return String.valueOf(Objects.requireNonNull(thrown.getCause()).getMessage());
    }
}
