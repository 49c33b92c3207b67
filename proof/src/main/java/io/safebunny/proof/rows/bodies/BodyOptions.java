// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.store.StoreAddress;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What {@link BodyMain} is told. Immutable.
 *
 * @param process its name in the ledger
 * @param from name of the node whose messages it handles
 * @param ledger port of the ledger
 * @param keys path of the keystore
 * @param bodies folder in which bodies are kept; {@code null} to send them with their messages
 * @param version of {@link Payment} that it knows
 */
record BodyOptions(
        String process,
        NodeAddress address,
        String from,
        StoreAddress store,
        int ledger,
        String keys,
        @Nullable String bodies,
        int version) {

    /** Environment variable that holds the options. */
    static final String VARIABLE = "SAFEBUNNY_PROOF_BODIES";

    private static final JsonMapper JSON = new JsonMapper();

    String toText() {
        return JSON.writeValueAsString(this);
    }

    static BodyOptions of(String text) {
        return JSON.readValue(text, BodyOptions.class);
    }
}
