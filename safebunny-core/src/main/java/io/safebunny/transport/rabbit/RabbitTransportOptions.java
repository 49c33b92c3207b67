// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import io.safebunny.failure.MisuseException;
import java.time.Duration;

/**
 * @param maxConcurrency publisher channels at most
 * @param publishTimeout how long a publication that comes without a deadline may take: waiting for a channel, writing, and the
 *     confirm
 * @param delayStrategy what delays messages
 * @param tellsUser whether what is published, but for poison copies, says as {@code user_id} which user of the broker published it
 * @param inboundBytes bodies of delivered messages that all queues together hold at once before they take one message at a time
 */
public record RabbitTransportOptions(
        int maxConcurrency,
        Duration publishTimeout,
        DelayStrategy delayStrategy,
        boolean tellsUser,
        long inboundBytes) {

    public RabbitTransportOptions {
        if (maxConcurrency < 1) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid settings [maxConcurrency=%d]: at least 1 channel is needed.".formatted(maxConcurrency));
        }
    }

    /** A quarter of the heap for delivered messages; the user is not told. */
    public RabbitTransportOptions(int maxConcurrency, Duration publishTimeout, DelayStrategy delayStrategy) {
        this(maxConcurrency, publishTimeout, delayStrategy, false);
    }

    /** A quarter of the heap for delivered messages. */
    public RabbitTransportOptions(
            int maxConcurrency, Duration publishTimeout, DelayStrategy delayStrategy, boolean tellsUser) {
        this(
                maxConcurrency,
                publishTimeout,
                delayStrategy,
                tellsUser,
                Runtime.getRuntime().maxMemory() / 4);
    }

    /** 8 channels, 30 s, ladder, a quarter of the heap. */
    public static RabbitTransportOptions defaults() {
        return new RabbitTransportOptions(8, Duration.ofSeconds(30), DelayStrategy.LADDER);
    }
}
