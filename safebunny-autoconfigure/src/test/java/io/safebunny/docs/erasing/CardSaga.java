// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.erasing;

import io.safebunny.BunnyHandler;
import io.safebunny.encryption.Encrypted;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;

@BunnySaga
class CardSaga {
    @Encrypted(key = "payments", subject = "customer")
    record State(String customer, String pan) {}

    @Starts
    @BunnyHandler(from = "till")
    State on(CardCharged charged) {
        return new State(charged.customer(), charged.pan());
    }
}
