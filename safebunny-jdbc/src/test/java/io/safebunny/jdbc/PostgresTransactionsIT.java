// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class PostgresTransactionsIT extends TransactionRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
