// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.delay;

/** What holds delayed messages back. */
public enum DelayStrategy {
    /** Durable quorum queues with fixed waiting times; on every supported broker, survives its crash. The default. */
    LADDER,
    /** The delayed message exchange plugin (up to RabbitMQ 4.2, archived): waiting messages are on one broker only. */
    PLUGIN,
    /** The plugin where the broker has it, else the ladder. */
    AUTO
}
