// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import io.safebunny.store.MessageStore;
import javax.sql.DataSource;

class MariaDbStoreContractIT extends JdbcStoreContract {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }

    @Override
    MessageStore store(DataSource dataSource, JdbcStoreOptions options) {
        return new JdbcMessageStore(dataSource, options);
    }
}
