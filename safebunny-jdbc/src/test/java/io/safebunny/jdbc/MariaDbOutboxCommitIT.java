// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class MariaDbOutboxCommitIT extends OutboxCommitRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }
}
