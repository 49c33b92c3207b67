// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class MariaDbEndedTransactionIT extends EndedTransactionRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }
}
