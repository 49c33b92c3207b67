// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.failure.MisuseException;
import io.safebunny.rabbit.topology.DelayStrategy;

/**
 * @param maxConcurrency maximum number of publisher channels
 * @param delayStrategy how messages are delayed
 * @param tellsUser whether publications other than poison copies carry the broker user as {@code user_id}
 * @param inboundBytes total size of delivered message bodies, in bytes, above which queues take one message at a time
 */
public record RabbitTransportOptions(
        int maxConcurrency, DelayStrategy delayStrategy, boolean tellsUser, long inboundBytes) {

    public RabbitTransportOptions {
        if (maxConcurrency < 1) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid transport options [maxConcurrency=%s]: at least one publisher channel is needed. Set safebunny.publisher.max-concurrency to 1 or more."
                            .formatted(maxConcurrency));
        }
    }

    /** A quarter of the heap for delivered messages, no {@code user_id}. */
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
