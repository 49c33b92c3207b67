// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import java.time.Duration;

/**
 * @param maxConcurrency publisher channels at most
 * @param maxInFlight unconfirmed publications at most; a further one waits
 * @param publishTimeout how long one try of a publication may take: waiting for a channel, writing, and the confirm
 * @param delayStrategy what delays messages
 */
public record RabbitTransportOptions(
        int maxConcurrency, int maxInFlight, Duration publishTimeout, DelayStrategy delayStrategy) {

    public RabbitTransportOptions {
        if (maxConcurrency < 1 || maxInFlight < 1) {
            throw new IllegalArgumentException(
                    "At least one channel and one publication are needed [max-concurrency=%d, max-in-flight=%d]"
                            .formatted(maxConcurrency, maxInFlight));
        }
    }

    /** 8 channels, 1,000 unconfirmed, 30 s, ladder. */
    public static RabbitTransportOptions defaults() {
        return new RabbitTransportOptions(8, 1000, Duration.ofSeconds(30), DelayStrategy.LADDER);
    }
}
