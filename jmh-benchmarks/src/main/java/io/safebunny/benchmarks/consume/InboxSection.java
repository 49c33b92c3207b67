// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.benchmarks.database.BenchDatabase;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.List;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A handler's insert, exactly once: SafeBunny's transactional store beside an inbox written by hand. */
public final class InboxSection implements Section {

    private static final String BY_HAND = "inbox by hand, equal concurrency";
    private static final String TEN_BY_HAND = "inbox by hand, ten consumers";
    private static final String SAFEBUNNY = "SafeBunny, PostgreSQL, transactional";
    private static final String SHARED = "SafeBunny, PostgreSQL, 16 messages in a transaction";

    private static final int SMALL = 10;
    private static final int LARGE = 100;
    private static final int PER_TRANSACTION = 16;
    private static final int SPARE_CONNECTIONS = 4;
    private static final JdbcStoreOptions STORE = JdbcStoreOptions.of(Consumers.NODE, Duration.ofDays(7));

    private final BenchDatabase database = new BenchDatabase(LARGE + SPARE_CONNECTIONS);
    private final Consumers consumers;
    private final int messages;

    public InboxSection(BenchBroker broker, Effort effort) {
        messages = effort.messages(10_000);
        consumers = new Consumers(broker, messages);
        database.sql().execute("create table payment (id serial primary key, receipt text not null)");
        Inbox.createTable(database.sql());
    }

    @Override
    public List<Contest> contests() {
        return List.of(
                new Contest(
                        "Inbox, prefetch 10",
                        conditions(SMALL),
                        List.of(byHand(BY_HAND, SMALL, 1), safeBunny(SMALL)),
                        List.of(new Ratio("singleVsInbox10", SAFEBUNNY, BY_HAND, 1))),
                new Contest(
                        "Inbox, prefetch 100",
                        conditions(LARGE) + "; ten consumers: ten messages each, of which they handle one at a time",
                        List.of(
                                byHand(BY_HAND, LARGE, 1),
                                byHand(TEN_BY_HAND, SMALL, LARGE / SMALL),
                                safeBunny(LARGE),
                                shared()),
                        List.of(
                                new Ratio("singleVsInbox100", SAFEBUNNY, BY_HAND, 1),
                                new Ratio("sharedVsInbox100", SHARED, BY_HAND, 2.5),
                                new Ratio("singleVsInbox100TenConsumers", SAFEBUNNY, TEN_BY_HAND, 0))));
    }

    private String conditions(int atOnce) {
        return "%s prepared messages of 965 bytes of JSON in one quorum queue; the handler inserts a row, in one transaction of PostgreSQL with the record of its message; by hand: @RabbitListener and @Transactional, insert of the message id with on conflict do nothing, acknowledged after the commit; equal concurrency: %s consumers with a message each; a pool of %s connections for either"
                .formatted(messages, atOnce, LARGE + SPARE_CONNECTIONS);
    }

    private Contender byHand(String name, int listeners, int prefetch) {
        return new Contender(
                name,
                () -> checked(() -> consumers.listeners(
                        listeners, prefetch, meter -> Inbox.listener(database.pool(), this::insert, meter))));
    }

    private Contender safeBunny(int prefetch) {
        return new Contender(SAFEBUNNY, () -> checked(() -> consumers.inserting(prefetch, this::store, this::insert)));
    }

    private Contender shared() {
        return new Contender(
                SHARED,
                () -> checked(() -> consumers.insertingShared(LARGE, PER_TRANSACTION, this::store, this::insert)));
    }

    private MessageStore store(Timeline timeline) {
        return new TransactionalJdbcMessageStore(database.pool(), new JdbcTransactionManager(database.pool()), STORE);
    }

    private void insert(String id) {
        database.sql().update("insert into payment (receipt) values (?)", "receipt of " + id);
    }

    @FunctionalInterface
    private interface Consuming {
        Figures run() throws Exception;
    }

    /** Each message must have inserted one row: speed that loses or repeats any does not count. */
    private Figures checked(Consuming consuming) throws Exception {
        database.sql().execute("truncate table safebunny_message, payment, " + Inbox.TABLE);
        Figures figures = consuming.run();
        Long rows = database.sql().queryForObject("select count(*) from payment", Long.class);
        Long receipts = database.sql().queryForObject("select count(distinct receipt) from payment", Long.class);
        if (rows == null || rows != messages || !rows.equals(receipts)) {
            throw new IllegalStateException(
                    "Not exactly once [messages=%s, rows=%s, distinct=%s]".formatted(messages, rows, receipts));
        }
        return figures;
    }

    @Override
    public void close() {
        database.close();
    }
}
