// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

class PlainJdbcSagaInnerTransactionTest extends SagaInnerTransactionRules {

    @Override
    StoreKind store() {
        return StoreKind.PLAIN_JDBC;
    }
}
