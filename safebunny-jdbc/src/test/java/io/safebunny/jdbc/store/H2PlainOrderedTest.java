// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.MessageStore;

class H2PlainOrderedTest extends OrderedRules {

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }

    @Override
    MessageStore store(JdbcStoreOptions options) {
        return new JdbcMessageStore(database().pool(), options);
    }

    @Override
    boolean isTransactional() {
        return false;
    }
}
