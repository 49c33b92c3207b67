// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class PostgresStoreIT extends StoreRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
