// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import io.safebunny.jdbc.fixture.TestDatabase;

class NoStoreInnerTransactionTest extends InnerTransactionRules {

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }

    @Override
    StoreKind store() {
        return StoreKind.NONE;
    }
}
