// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class H2TransactionalSagaTest extends SagaRules {

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }

    @Override
    boolean isTransactional() {
        return true;
    }
}
