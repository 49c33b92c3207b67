// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class MariaDbOutboxRelayIT extends OutboxRelayRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }
}
