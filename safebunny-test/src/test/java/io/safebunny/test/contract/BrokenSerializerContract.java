// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.test.contract.bites.Fault;

/** The contract with a serializer that has the current fault. */
class BrokenSerializerContract extends MessageSerializerContract {

    private final MessageSerializer serializer = Fault.<BrokenSerializerContract, MessageSerializer>current()
            .in(this, MessageSerializer.class)
            .apply(new JsonMessageSerializer());

    @Override
    protected MessageSerializer serializer() {
        return serializer;
    }
}
