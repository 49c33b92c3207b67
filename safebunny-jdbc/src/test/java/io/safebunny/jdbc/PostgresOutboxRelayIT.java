// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class PostgresOutboxRelayIT extends OutboxRelayRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
