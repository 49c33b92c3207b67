// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.test.contract.bites.ContractBites;

class BodyStoreContractBitesTest extends ContractBites {

    BodyStoreContractBitesTest() {
        super(BodyStoreContract.class, BrokenBodyStoreContract.class, new BrokenBodyStores());
    }
}
