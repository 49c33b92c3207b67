// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.test.contract.bites.ContractBites;

class KeyProviderContractBitesTest extends ContractBites {

    KeyProviderContractBitesTest() {
        super(KeyProviderContract.class, BrokenKeyProviderContract.class, new BrokenKeyProviders());
    }
}
