// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;

class MySqlRatesIT extends RateRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }
}
