// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MariaDbLockedStepsIT extends LockedStepsRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }

    @Override
    String locksSteps() {
        return "select count(*) from safebunny_step for update"; // with the gaps
    }

    @Override
    String waiting() {
        return "select (select count(*) from information_schema.innodb_lock_waits) + (select count(*) from information_schema.processlist where state like 'Waiting for table metadata lock%')";
    }
}
