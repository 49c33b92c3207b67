// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.policy.Ending;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.Envelope;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** One message delivered to two instances of a node, in transactions of one database. Thread-safe. */
final class StepBench implements AutoCloseable {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final String node = TestDatabase.newNode();
    private final Envelope message = Instances.message();
    /** Failures of the handlings of both instances. */
    final List<Throwable> judged = new CopyOnWriteArrayList<>();

    final Deduplication first;
    final Deduplication second;

    StepBench(TestDatabase database) {
        this(database, Integer.MAX_VALUE);
    }

    /** @param handledAtOnce messages that each instance may handle at once */
    StepBench(TestDatabase database, int handledAtOnce) {
        first = Instances.over(store(database, handledAtOnce), timeline, 20);
        second = Instances.over(store(database, handledAtOnce), timeline, 20);
    }

    private TransactionalMessageStore store(TestDatabase database, int handledAtOnce) {
        return new TransactionalJdbcMessageStore(
                database.pool(),
                new JdbcTransactionManager(database.pool()),
                JdbcStoreOptions.of(node, Duration.ofDays(7)).withTimeout(Duration.ofSeconds(2)),
                handledAtOnce);
    }

    void deliver(Deduplication to, Instances.Handler handler) throws Exception {
        Instances.deliver(
                to,
                new Handling(new CurrentHandling(), message),
                failure -> {
                    judged.add(failure);
                    return Ending.retried(Duration.ZERO, failure);
                },
                handling -> handling.attempt(() -> handler.handle(handling)));
    }

    @Override
    public void close() {
        timeline.close();
    }
}
