// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class MariaDbTransactionsIT extends TransactionRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }
}
