// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.subjects;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class PostgresSubjectKeysIT extends SubjectKeysRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
