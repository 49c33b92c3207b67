// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import io.safebunny.jdbc.fixture.TestDatabase;

class PostgresInnerTransactionIT extends InnerTransactionRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Override
    StoreKind store() {
        return StoreKind.TRANSACTIONAL;
    }
}
