// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

class BodyCodecContractBitesTest extends ContractBites {

    BodyCodecContractBitesTest() {
        super(BodyCodecContract.class, BrokenCodecContract.class, new BrokenCodecs());
    }
}
