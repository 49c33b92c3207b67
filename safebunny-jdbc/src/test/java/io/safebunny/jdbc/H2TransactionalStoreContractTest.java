// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import io.safebunny.store.MessageStore;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

class H2TransactionalStoreContractTest extends JdbcStoreContract {

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }

    @Override
    MessageStore store(DataSource dataSource, JdbcStoreOptions options) {
        return new TransactionalJdbcMessageStore(dataSource, new JdbcTransactionManager(dataSource), options);
    }
}
