// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.subjects;

import io.safebunny.jdbc.fixture.TestDatabase;

class H2SubjectKeysTest extends SubjectKeysRules {

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }
}
