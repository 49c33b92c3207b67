// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.test.contract.bites.ContractBites;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MessageStoreContractBitesTest extends ContractBites {

    MessageStoreContractBitesTest() {
        super(
                MessageStoreContract.class,
                BrokenStoreContract.class,
                new BrokenRecords(),
                new BrokenContent(),
                new BrokenLookups(),
                new BrokenJointWrites(),
                new BrokenLanes(),
                new BrokenListings(),
                new BrokenSearches(),
                new BrokenParts());
    }
}
