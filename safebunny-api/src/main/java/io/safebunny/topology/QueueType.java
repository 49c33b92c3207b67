// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

/** Type of the queues to declare. */
public enum QueueType {
    /** Replicated, survives the loss of a minority of brokers. The default. */
    QUORUM,
    /** On one broker only. A message that kills its consumer is redelivered without limit. */
    CLASSIC
}
