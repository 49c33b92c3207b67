// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.fixture.TestDatabase;

class MySqlOutboxCommitIT extends OutboxCommitRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }
}
