// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

class TransactionalSagaInnerTransactionTest extends SagaInnerTransactionRules {

    @Override
    StoreKind store() {
        return StoreKind.TRANSACTIONAL;
    }
}
