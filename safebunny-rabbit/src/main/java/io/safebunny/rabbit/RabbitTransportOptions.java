// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.failure.MisuseException;
import io.safebunny.rabbit.delay.DelayStrategy;

/**
 * @param maxConcurrency publisher channels at most
 * @param delayStrategy what delays messages
 * @param tellsUser whether what is published, but for poison copies, says as {@code user_id} which user of the broker published it
 * @param inboundBytes bodies of delivered messages that all queues together hold at once before they take one message at a time
 */
public record RabbitTransportOptions(
        int maxConcurrency, DelayStrategy delayStrategy, boolean tellsUser, long inboundBytes) {

    public RabbitTransportOptions {
        if (maxConcurrency < 1) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid settings [maxConcurrency=%s]: at least 1 channel is needed.".formatted(maxConcurrency));
        }
    }

    /** A quarter of the heap for delivered messages; the user is not told. */
    public RabbitTransportOptions(int maxConcurrency, DelayStrategy delayStrategy) {
        this(maxConcurrency, delayStrategy, false);
    }

    /** A quarter of the heap for delivered messages. */
    public RabbitTransportOptions(int maxConcurrency, DelayStrategy delayStrategy, boolean tellsUser) {
        this(maxConcurrency, delayStrategy, tellsUser, Runtime.getRuntime().maxMemory() / 4);
    }

    /** 8 channels, ladder, a quarter of the heap. */
    public static RabbitTransportOptions defaults() {
        return new RabbitTransportOptions(8, DelayStrategy.LADDER);
    }
}
