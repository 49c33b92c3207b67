// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;

class PostgresLockedStepsIT extends LockedStepsRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Override
    String locksSteps() {
        return "lock table safebunny_step in access exclusive mode";
    }

    @Override
    String waiting() {
        return "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";
    }
}
