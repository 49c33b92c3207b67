// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.store.StoreAddress;
import tools.jackson.databind.json.JsonMapper;

/**
 * What {@link ClockMain} is told. Immutable.
 *
 * @param process its name in the ledger
 * @param from name of the node whose messages it handles
 * @param ledger port of the ledger
 * @param millisAhead how far its clock is ahead of the true time; negative if it is behind
 * @param seed says which attempts fail
 */
record ClockOptions(
        String process, NodeAddress address, String from, StoreAddress store, int ledger, long millisAhead, long seed) {

    /** Environment variable that holds the options. */
    static final String VARIABLE = "SAFEBUNNY_PROOF_CLOCK";

    private static final JsonMapper JSON = new JsonMapper();

    String toText() {
        return JSON.writeValueAsString(this);
    }

    static ClockOptions of(String text) {
        return JSON.readValue(text, ClockOptions.class);
    }
}
