// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.sagas;

import io.safebunny.BunnyHandler;
import io.safebunny.docs.sagas.Messages.ParcelReturned;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import tools.jackson.databind.node.ObjectNode;

@BunnySaga(version = 2)
class ReturnSaga {

    record State(String order, String currency) {}

    @Starts
    @CorrelatedBy("parcel.id")
    @BunnyHandler(from = "warehouse")
    State on(ParcelReturned returned, SagaContext saga) {
        return new State(returned.order(), "EUR");
    }

    @Upgrade(from = 1)
    static ObjectNode currency(ObjectNode old) {
        return old.put("currency", "EUR");
    }
}
