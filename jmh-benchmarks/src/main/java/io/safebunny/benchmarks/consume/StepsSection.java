// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Plan;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.benchmarks.database.BenchDatabase;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** The guide's handler with a step, with all defaults. */
public final class StepsSection implements Section {

    private static final String MEMORY = "SafeBunny, memory";
    private static final String PLAIN = "SafeBunny, PostgreSQL, not transactional";
    private static final String DEFAULT = "SafeBunny, PostgreSQL, as by default";

    private static final int PREFETCH = 10;
    private static final int CONNECTIONS = 10;

    /** Not reduced in a quick run, because the backlog is the point. */
    private static final int MESSAGES = 5_000;

    private static final Duration RETENTION = Duration.ofDays(7);
    private static final JdbcStoreOptions STORE = JdbcStoreOptions.of(Consumers.NODE, RETENTION);

    private final BenchDatabase database = new BenchDatabase(CONNECTIONS);
    private final Consumers consumers;

    public StepsSection(BenchBroker broker) {
        consumers = new Consumers(broker, MESSAGES);
        database.sql().execute("create table payment (id serial primary key, receipt text not null)");
    }

    @Override
    public List<Contest> contests() {
        return List.of(new Contest(
                        "Steps, default configuration",
                        "%s messages wait in one quorum queue, prefetch %s, Hikari's pool of %s; the handler does a step with context.once and inserts its result"
                                .formatted(MESSAGES, PREFETCH, CONNECTIONS),
                        List.of(
                                contender(MEMORY, timeline -> new MemoryMessageStore(timeline, RETENTION)),
                                contender(PLAIN, timeline -> new JdbcMessageStore(database.pool(), STORE)),
                                contender(
                                        DEFAULT,
                                        timeline -> new TransactionalJdbcMessageStore(
                                                database.pool(),
                                                new JdbcTransactionManager(database.pool()),
                                                STORE,
                                                TransactionalJdbcMessageStore.handledAtOnce(CONNECTIONS)))),
                        List.of(
                                new Ratio("onceDefaultVsPlain", DEFAULT, PLAIN, 0),
                                new Ratio("onceDefaultVsMemory", DEFAULT, MEMORY, 0)))
                .with(Plan.WARM_ROUNDS));
    }

    private Contender contender(String name, Function<Timeline, MessageStore> store) {
        return new Contender(name, () -> {
            database.sql().execute("truncate table safebunny_message, payment");
            return consumers.charging(PREFETCH, store, receipt -> database.sql()
                    .update("insert into payment (receipt) values (?)", receipt));
        });
    }

    @Override
    public void close() {
        database.close();
    }
}
