// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.Bunny;
import io.safebunny.saga.Sagas;
import io.safebunny.time.Timeline;
import java.time.Clock;

/** What the handlers of one process may use. A process that begins again gets another one. */
public interface SimulatedNode {

    Bunny bunny();

    /** The node's sagas, for handlers. */
    Sagas sagas();

    /** Virtual time, with random numbers that are the same in each run of a schedule. */
    Timeline timeline();

    /** The same time for those who ask a clock; UTC. */
    Clock clock();

    /**
     * Does something to another system that knows the key and does it once for each.
     *
     * @param effect what, and to what: "charge order 7"
     * @param key for instance the message id, which is the same in each attempt
     */
    void perform(String effect, String key);

    /** Does something to another system that does it each time it is told to. */
    void perform(String effect);
}
