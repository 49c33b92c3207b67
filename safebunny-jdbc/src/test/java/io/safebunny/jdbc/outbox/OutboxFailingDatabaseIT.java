// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.test.database.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/** A server that dies while messages are being sent. */
@Timeout(180)
class OutboxFailingDatabaseIT {

    @Test
    void everythingCommittedIsSentAfterAKill() {
        ScheduledThreadPoolExecutor slow = new ScheduledThreadPoolExecutor(1);
        RecordingSender sender = new RecordingSender(answer -> {
            var unused = slow.schedule(answer, 5, TimeUnit.MILLISECONDS);
        });
        try (PostgresServer server = PostgresServer.start();
                HikariDataSource pool = TestDatabase.impatientPool(server, 6);
                OutboxUnderTest instance = new OutboxUnderTest(
                        pool,
                        "shop",
                        sender,
                        options -> options.withRelay(Duration.ofMillis(200), Duration.ofSeconds(2)))) {
            instance.started();
            List<String> committed = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                if (i == 200) {
                    server.kill();
                }
                try {
                    instance.publishAndCommit("c" + i % 7, "m" + i);
                    committed.add("m" + i);
                } catch (DataAccessException | TransactionException e) {
                    assertThat(i).isGreaterThanOrEqualTo(200);
                    break;
                }
            }
            assertThat(committed).hasSize(200);
            server.restart();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .ignoreExceptionsInstanceOf(DataAccessException.class)
                    .until(() -> instance.stored().isEmpty());
            assertThat(sender.ids()).containsAll(committed);
            for (int c = 0; c < 7; c++) {
                List<String> expected = new ArrayList<>();
                for (int i = c; i < 200; i += 7) {
                    expected.add("m" + i);
                }
                assertThat(sender.firstOf("c" + c)).isEqualTo(expected);
            }
            instance.publishAndCommit("c", "afterwards");
            Awaitility.await().until(() -> instance.stored().isEmpty());
        } finally {
            slow.shutdownNow();
        }
    }

    @Test
    void aCommitDoesNotWaitForABrokerThatDoesNotAnswer() {
        HikariDataSource pool = TestDatabase.POSTGRESQL.pool();
        CountDownLatch stuck = new CountDownLatch(1);
        try (OutboxUnderTest instance = OutboxUnderTest.on(pool)) {
            instance.outbox.start(message -> {
                try {
                    stuck.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return CompletableFuture.completedFuture(null);
            });
            for (int i = 0; i < 200; i++) {
                instance.publishAndCommit("c" + i, "m" + i);
            }
            assertThat(instance.stored()).hasSize(200);
            stuck.countDown();
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> instance.stored()
                    .isEmpty());
        }
    }
}
