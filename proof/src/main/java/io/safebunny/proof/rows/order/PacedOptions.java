// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.store.StoreAddress;
import tools.jackson.databind.json.JsonMapper;

/**
 * What {@link PacedMain} is told. Immutable.
 *
 * @param process its name in the ledger
 * @param from name of the node whose messages it handles
 * @param ledger port of the ledger
 * @param rate of the type
 */
record PacedOptions(String process, NodeAddress address, String from, StoreAddress store, int ledger, String rate) {

    /** Environment variable that holds the options. */
    static final String VARIABLE = "SAFEBUNNY_PROOF_PACED";

    private static final JsonMapper JSON = new JsonMapper();

    String toText() {
        return JSON.writeValueAsString(this);
    }

    static PacedOptions of(String text) {
        return JSON.readValue(text, PacedOptions.class);
    }
}
