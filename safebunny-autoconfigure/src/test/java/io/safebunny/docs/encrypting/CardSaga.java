// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.encrypting;

import io.safebunny.BunnyHandler;
import io.safebunny.encryption.Encrypted;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;

@BunnySaga
@Encrypted(key = "payments")
class CardSaga {
    record State(String pan) {}

    @Starts
    @BunnyHandler(from = "till")
    State on(CardCharged charged) {
        return new State(charged.pan());
    }
}
