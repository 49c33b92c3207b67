// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

/** Kind of queue to declare. */
public enum QueueType {
    /** Replicated, survives the loss of a minority of brokers. The default. */
    QUORUM,
    /** On one broker only; a message killing its consumer is redelivered without limit. */
    CLASSIC
}
