// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;

class PostgresTransactionalScheduledIT extends ScheduledRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Override
    boolean isTransactional() {
        return true;
    }
}
