// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

class MessageStoreContractBitesTest extends ContractBites {

    MessageStoreContractBitesTest() {
        super(
                MessageStoreContract.class,
                BrokenStoreContract.class,
                new BrokenRecords(),
                new BrokenContent(),
                new BrokenLookups(),
                new BrokenJointWrites(),
                new BrokenListings());
    }
}
