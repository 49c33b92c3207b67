// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class PostgresStoreContractIT extends JdbcStoreContract {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
