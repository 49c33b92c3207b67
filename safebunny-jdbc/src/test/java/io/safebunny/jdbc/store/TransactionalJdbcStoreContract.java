// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.test.contract.store.TransactionalStoreContract;
import java.time.Duration;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** The contract of transactional stores, on one database. */
abstract class TransactionalJdbcStoreContract extends TransactionalStoreContract {

    private static final long LARGEST = 2_000_000;

    private final String node = TestDatabase.newNode();

    abstract TestDatabase database();

    private JdbcStoreOptions options(String nodeName) {
        return JdbcStoreOptions.of(nodeName, retention())
                .withRetention(new Retention(retention(), poisonRetention()))
                .withMaxContentBytes(LARGEST)
                .withTimeout(longestWait());
    }

    private static TransactionalMessageStore store(HikariDataSource pool, JdbcStoreOptions options) {
        return new TransactionalJdbcMessageStore(pool, new JdbcTransactionManager(pool), options, 8);
    }

    @Override
    protected TransactionalMessageStore store() {
        return store(database().pool(), options(node));
    }

    @Override
    protected TransactionalMessageStore anotherInstance() {
        return store(database().anotherPool(), options(node));
    }

    @Override
    protected MessageStore otherNode() {
        return store(database().pool(), options(TestDatabase.newNode()));
    }

    @Override
    protected Duration retention() {
        return Duration.ofHours(2);
    }

    @Override
    protected Duration longestWait() {
        return Duration.ofSeconds(2);
    }

    @Override
    protected void endOpenTransaction() {
        database().endSessionOfThisThread();
    }

    @Override
    protected boolean age(Duration duration) {
        database().age(duration);
        return true;
    }

    /** Its owner does not fit the column. */
    @Override
    protected MessageRecord unstorable(MessageRecord record) {
        return Records.withLongOwner(record);
    }

    @Override
    protected long largestContent() {
        return LARGEST;
    }
}
