// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class PostgresTransactionalStoreContractIT extends TransactionalJdbcStoreContract {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
