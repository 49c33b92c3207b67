// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Test;

class PostgresTrailIT extends TrailRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Test
    void theTrailsGiveWayBehindSavepoints() {
        theTrailsGiveWayInASharedTransaction();
    }
}
