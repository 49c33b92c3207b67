// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.json.JsonMessageSerializer;

class JsonSerializerContractTest extends MessageSerializerContract {

    @Override
    protected MessageSerializer serializer() {
        return new JsonMessageSerializer();
    }
}
