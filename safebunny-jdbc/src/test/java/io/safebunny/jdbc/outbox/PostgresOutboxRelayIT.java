// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.fixture.TestDatabase;

class PostgresOutboxRelayIT extends OutboxRelayRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
