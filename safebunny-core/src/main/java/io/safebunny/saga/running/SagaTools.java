// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.observation.Metrics;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Objects;

/**
 * What every kind of saga of a node works with.
 *
 * @param retention how long a saga that has ended is kept
 */
record SagaTools(
        String node,
        CurrentHandling current,
        SagaMessages messages,
        Compensation compensation,
        Timeline timeline,
        Metrics metrics,
        Duration retention) {

    /** The message that this thread is handling. */
    Handling handling() {
        return Objects.requireNonNull(current.get(), "a message of a saga is handled within its engine");
    }
}
