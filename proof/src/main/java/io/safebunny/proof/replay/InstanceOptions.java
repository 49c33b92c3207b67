// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.replay;

import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.store.StoreAddress;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an instance of the node does. Immutable.
 *
 * @param process its name in the ledger
 * @param from name of the node whose orders it handles
 * @param ledger port of the ledger
 * @param broken whether its handler sets every order aside
 * @param duty what it does besides handling
 * @param limit most copies it judges
 * @param perSecond most copies it moves in a second; 0 for no limit
 * @param occurrence which message it halts at
 */
record InstanceOptions(
        String process,
        NodeAddress address,
        String from,
        StoreAddress store,
        int ledger,
        boolean broken,
        Duty duty,
        int limit,
        double perSecond,
        Halt halt,
        int occurrence) {

    /** Environment variable that holds the options. */
    static final String VARIABLE = "SAFEBUNNY_CRASH_REPLAY";

    private static final JsonMapper JSON = new JsonMapper();

    /** What an instance does besides handling. */
    enum Duty {
        NONE,
        /** Counts all in a dry run. */
        COUNT,
        /** Replays once. */
        REPLAY,
        /** Replays until a replay moves nothing. */
        REPLAY_ALL
    }

    String toText() {
        return JSON.writeValueAsString(this);
    }

    static InstanceOptions of(String text) {
        return JSON.readValue(text, InstanceOptions.class);
    }
}
