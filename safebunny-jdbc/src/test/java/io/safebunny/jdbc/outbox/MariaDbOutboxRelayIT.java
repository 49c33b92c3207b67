// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MariaDbOutboxRelayIT extends OutboxRelayRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }
}
