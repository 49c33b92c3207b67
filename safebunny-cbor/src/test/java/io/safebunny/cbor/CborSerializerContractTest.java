// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cbor;

import io.safebunny.serialization.MessageSerializer;
import io.safebunny.test.contract.MessageSerializerContract;

class CborSerializerContractTest extends MessageSerializerContract {

    @Override
    protected MessageSerializer serializer() {
        return new CborMessageSerializer();
    }
}
