// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.bodies;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class PostgresBodyStoreIT extends BodyStoreRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
