// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.replay;

import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.Verdict;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * What came of the replays of an instance. Immutable.
 *
 * @param state of the last one
 * @param moved by all of them
 * @param verdicts of the last one
 */
record Replayed(RunState state, int moved, Map<Verdict, Integer> verdicts) {

    static final Replayed NOTHING = new Replayed(RunState.ENDED, 0, Map.of());

    private static final JsonMapper JSON = new JsonMapper();

    Replayed and(Progress progress) {
        return new Replayed(progress.state(), moved + progress.moved(), progress.verdicts());
    }

    String toText() {
        return JSON.writeValueAsString(this);
    }

    static Replayed of(String text) {
        return JSON.readValue(text, Replayed.class);
    }
}
