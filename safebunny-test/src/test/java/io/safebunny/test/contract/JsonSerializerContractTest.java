// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.serialization.JsonMessageSerializer;
import io.safebunny.spi.serialization.MessageSerializer;

class JsonSerializerContractTest extends MessageSerializerContract {

    @Override
    protected MessageSerializer serializer() {
        return new JsonMessageSerializer();
    }
}
