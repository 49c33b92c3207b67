// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MySqlOutboxCommitIT extends OutboxCommitRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }
}
