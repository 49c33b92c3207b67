// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

/** How messages are delayed. */
public enum DelayStrategy {
    /** Durable quorum queues with fixed TTLs: works on every supported broker and survives its crash. The default. */
    LADDER,
    /** The delayed message exchange plugin (up to RabbitMQ 4.2, archived): waiting messages are stored on one broker node only. */
    PLUGIN,
    /** The plugin if the broker has it, otherwise the ladder. */
    AUTO
}
