// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.child;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.jdbc.outbox.JdbcOutbox;
import io.safebunny.jdbc.outbox.JdbcOutboxOptions;
import io.safebunny.proof.point.Faults;
import io.safebunny.proof.point.PointedDataSource;
import io.safebunny.proof.saga.Clerk;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The application's database, and the outbox in it.
 *
 * @param database with the outbox's statements as points
 */
record Application(DataSource database, JdbcOutbox outbox, Timeline timeline) {

    private static final Duration RELAY_INTERVAL = Duration.ofMillis(100);
    /**
     * Long enough for sending right after the commit; rows that a crashed relay had claimed are due after three times as long.
     */
    private static final Duration RELAY_AFTER = Duration.ofSeconds(1);
    /** Small, so that two relays share many publications; odd, so that they split correlations of two rows. */
    private static final int BATCH = 3;

    static Application of(DataSource dataSource, String node, Timeline timeline, Faults faults) {
        DataSource database = new PointedDataSource(dataSource, faults);
        JdbcOutboxOptions options = JdbcOutboxOptions.of(node)
                .withRelay(RELAY_INTERVAL, RELAY_AFTER)
                .withBatchSize(BATCH);
        return new Application(
                database, new JdbcOutbox(database, options, timeline, threads(), new SimpleMeterRegistry()), timeline);
    }

    private static Executor threads() {
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "outbox");
            thread.setDaemon(true);
            return thread;
        });
    }

    Clerk clerk(Node node) {
        return new Clerk(
                node.bunny(),
                new TransactionTemplate(new JdbcTransactionManager(database)),
                new WorkTable(database),
                timeline);
    }
}
