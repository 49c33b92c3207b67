// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import io.safebunny.jdbc.fixture.TestDatabase;

class MySqlCommitListenerIT extends CommitListenerRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }
}
