// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class MariaDbStoreIT extends StoreRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }
}
