// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.store.StoreAddress;
import tools.jackson.databind.json.JsonMapper;

/**
 * What {@link LaneMain} is told. Immutable.
 *
 * @param process its name in the ledger
 * @param from name of the node whose messages it handles
 * @param ledger port of the ledger
 * @param repaired there is such a file once {@link Step.Holding} messages are poison no more
 * @param seed says what becomes of each message
 * @param shards into which messages are divided; 0 if they are not
 */
record LaneOptions(
        String process,
        NodeAddress address,
        String from,
        StoreAddress store,
        int ledger,
        String repaired,
        long seed,
        int shards) {

    /** Environment variable that holds the options. */
    static final String VARIABLE = "SAFEBUNNY_PROOF_LANE";

    private static final JsonMapper JSON = new JsonMapper();

    LaneOptions as(String name) {
        return new LaneOptions(name, address, from, store, ledger, repaired, seed, shards);
    }

    LaneOptions divided(int into) {
        return new LaneOptions(process, address, from, store, ledger, repaired, seed, into);
    }

    String toText() {
        return JSON.writeValueAsString(this);
    }

    static LaneOptions of(String text) {
        return JSON.readValue(text, LaneOptions.class);
    }
}
