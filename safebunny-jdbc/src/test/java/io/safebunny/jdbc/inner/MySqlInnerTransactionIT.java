// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
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
