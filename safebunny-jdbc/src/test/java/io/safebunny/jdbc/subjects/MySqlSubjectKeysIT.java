// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.subjects;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MySqlSubjectKeysIT extends SubjectKeysRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }
}
