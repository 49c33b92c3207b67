// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import io.safebunny.jdbc.fixture.TestDatabase;

class MySqlInnerTransactionIT extends InnerTransactionRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }

    @Override
    StoreKind store() {
        return StoreKind.TRANSACTIONAL;
    }
}
