// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import java.time.Duration;

/**
 * @param maxConcurrency publisher channels at most
 * @param publishTimeout how long a publication that comes without a deadline may take: waiting for a channel, writing, and the
 *     confirm
 * @param delayStrategy what delays messages
 */
public record RabbitTransportOptions(int maxConcurrency, Duration publishTimeout, DelayStrategy delayStrategy) {

    public RabbitTransportOptions {
        if (maxConcurrency < 1) {
            throw new IllegalArgumentException(
                    "At least one channel is needed [max-concurrency=%d]".formatted(maxConcurrency));
        }
    }

    /** 8 channels, 30 s, ladder. */
    public static RabbitTransportOptions defaults() {
        return new RabbitTransportOptions(8, Duration.ofSeconds(30), DelayStrategy.LADDER);
    }
}
