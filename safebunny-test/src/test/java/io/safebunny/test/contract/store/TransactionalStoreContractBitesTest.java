// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.test.contract.bites.ContractBites;
import org.junit.jupiter.api.Tag;

@Tag("once")
class TransactionalStoreContractBitesTest extends ContractBites {

    TransactionalStoreContractBitesTest() {
        super(
                TransactionalStoreContract.class,
                BrokenTransactionsContract.class,
                new BrokenTransactions(),
                new BrokenWaiting(),
                new BrokenApart(),
                new BrokenLocks(),
                new BrokenSharing());
    }
}
