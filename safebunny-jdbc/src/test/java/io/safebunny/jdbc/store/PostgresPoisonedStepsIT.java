// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;

class PostgresPoisonedStepsIT extends PoisonedStepsRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
