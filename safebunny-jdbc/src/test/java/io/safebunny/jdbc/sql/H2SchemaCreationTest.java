// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.jdbc.fixture.TestDatabase;

class H2SchemaCreationTest extends SchemaCreationRules {

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }
}
