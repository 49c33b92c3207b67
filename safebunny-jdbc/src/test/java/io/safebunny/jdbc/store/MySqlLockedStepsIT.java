// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MySqlLockedStepsIT extends LockedStepsRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }

    @Override
    String locksSteps() {
        return "select count(*) from safebunny_step for update"; // with the gaps
    }

    @Override
    String waiting() {
        return "select (select count(*) from information_schema.innodb_trx where trx_state = 'LOCK WAIT') + (select count(*) from information_schema.processlist where state like 'Waiting for table metadata lock%')";
    }
}
