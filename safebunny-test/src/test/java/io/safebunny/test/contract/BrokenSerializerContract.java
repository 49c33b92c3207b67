// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.serialization.JsonMessageSerializer;
import io.safebunny.spi.serialization.MessageSerializer;

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
