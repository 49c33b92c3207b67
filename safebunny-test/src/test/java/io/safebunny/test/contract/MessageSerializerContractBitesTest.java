// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.test.contract.bites.ContractBites;

class MessageSerializerContractBitesTest extends ContractBites {

    MessageSerializerContractBitesTest() {
        super(
                MessageSerializerContract.class,
                BrokenSerializerContract.class,
                new BrokenSerializing(),
                new BrokenDeserializing());
    }
}
