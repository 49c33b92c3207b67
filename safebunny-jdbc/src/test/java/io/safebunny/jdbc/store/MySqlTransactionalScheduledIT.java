// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MySqlTransactionalScheduledIT extends ScheduledRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }

    @Override
    boolean isTransactional() {
        return true;
    }
}
