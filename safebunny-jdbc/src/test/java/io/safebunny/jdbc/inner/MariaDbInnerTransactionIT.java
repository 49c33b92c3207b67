// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MariaDbInnerTransactionIT extends InnerTransactionRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }

    @Override
    StoreKind store() {
        return StoreKind.TRANSACTIONAL;
    }
}
