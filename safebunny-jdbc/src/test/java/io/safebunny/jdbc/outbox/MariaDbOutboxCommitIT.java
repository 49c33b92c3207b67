// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MariaDbOutboxCommitIT extends OutboxCommitRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }
}
