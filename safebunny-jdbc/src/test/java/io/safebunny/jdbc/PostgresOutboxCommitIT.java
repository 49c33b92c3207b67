// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class PostgresOutboxCommitIT extends OutboxCommitRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
