// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class MariaDbTransactionalStoreContractIT extends TransactionalJdbcStoreContract {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }
}
