// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;

class H2RatesTest extends RateRules {

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }
}
