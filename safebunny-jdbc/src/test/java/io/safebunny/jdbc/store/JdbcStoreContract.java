// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.test.contract.store.MessageStoreContract;
import java.time.Duration;

/** The contract, on one database. */
abstract class JdbcStoreContract extends MessageStoreContract {

    private static final long LARGEST = 2_000_000;

    private final String node = TestDatabase.newNode();

    abstract TestDatabase database();

    private JdbcStoreOptions options(String nodeName) {
        return JdbcStoreOptions.of(nodeName, retention())
                .withRetention(new Retention(retention(), poisonRetention()))
                .withMaxContentBytes(LARGEST)
                .withTimeout(Duration.ofSeconds(15));
    }

    @Override
    protected MessageStore store() {
        return new JdbcMessageStore(database().pool(), options(node));
    }

    @Override
    protected MessageStore anotherInstance() {
        return new JdbcMessageStore(database().anotherPool(), options(node));
    }

    @Override
    protected MessageStore otherNode() {
        return new JdbcMessageStore(database().pool(), options(TestDatabase.newNode()));
    }

    @Override
    protected Duration retention() {
        return Duration.ofHours(2);
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
