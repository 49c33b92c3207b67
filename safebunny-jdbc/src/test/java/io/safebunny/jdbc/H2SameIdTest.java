// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

class H2SameIdTest extends SameIdRules {

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }
}
