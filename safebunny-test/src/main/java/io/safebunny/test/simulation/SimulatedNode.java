// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.Bunny;
import io.safebunny.saga.Sagas;
import io.safebunny.time.Timeline;
import java.time.Clock;

/** The environment that handlers of one process may use. A restarted process gets a new one. */
public interface SimulatedNode {

    Bunny bunny();

    /** The node's sagas, for handlers. */
    Sagas sagas();

    /** Virtual time, with random numbers that are the same in each run of a schedule. */
    Timeline timeline();

    /** The same time as a {@link java.time.Clock} in UTC. */
    Clock clock();

    /**
     * Causes an effect in an external system that is idempotent by key.
     *
     * @param effect the effect and its object, such as "charge order 7"
     * @param key idempotency key, for example the message id, which is the same in each attempt
     */
    void perform(String effect, String key);

    /** Causes an effect in an external system that is not idempotent. */
    void perform(String effect);
}
