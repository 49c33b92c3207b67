// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.bodies;

import io.safebunny.jdbc.fixture.TestDatabase;

class H2BodyStoreTest extends BodyStoreRules {

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }
}
