// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

class MessageSerializerContractBitesTest extends ContractBites {

    MessageSerializerContractBitesTest() {
        super(
                MessageSerializerContract.class,
                BrokenSerializerContract.class,
                new BrokenSerializing(),
                new BrokenDeserializing());
    }
}
