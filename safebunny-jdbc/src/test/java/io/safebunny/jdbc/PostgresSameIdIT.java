// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class PostgresSameIdIT extends SameIdRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }
}
