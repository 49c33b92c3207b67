// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.test.contract.MessageSerializerContract;
import io.safebunny.test.leaks.LeakCheck;
import org.junit.jupiter.api.extension.RegisterExtension;

class JsonContractTest extends MessageSerializerContract {

    @RegisterExtension
    static final LeakCheck LEAKS = new LeakCheck().ignoringThreads("HikariPool-.*");

    @Override
    protected MessageSerializer serializer() {
        return new JsonMessageSerializer();
    }
}
