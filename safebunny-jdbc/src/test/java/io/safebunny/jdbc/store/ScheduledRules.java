// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.MessageStore;
import io.safebunny.test.contract.ScheduledContract;
import java.time.Duration;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Scheduled messages of two instances of a node on one database. */
abstract class ScheduledRules extends ScheduledContract {

    abstract TestDatabase database();

    /** Whether handlers, records and scheduled messages share a transaction. */
    abstract boolean isTransactional();

    @Override
    protected MessageStore store(String ofNode) {
        JdbcStoreOptions options = JdbcStoreOptions.of(ofNode, Duration.ofDays(7));
        return isTransactional()
                ? new TransactionalJdbcMessageStore(
                        database().pool(), new JdbcTransactionManager(database().pool()), options, 8)
                : new JdbcMessageStore(database().pool(), options);
    }
}
