// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.test.contract.bites.ContractBites;

class BodyCodecContractBitesTest extends ContractBites {

    BodyCodecContractBitesTest() {
        super(BodyCodecContract.class, BrokenCodecContract.class, new BrokenCodecs());
    }
}
