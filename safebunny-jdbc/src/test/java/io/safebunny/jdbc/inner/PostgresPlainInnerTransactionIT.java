// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import io.safebunny.jdbc.fixture.TestDatabase;

class PostgresPlainInnerTransactionIT extends InnerTransactionRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Override
    StoreKind store() {
        return StoreKind.PLAIN_JDBC;
    }
}
