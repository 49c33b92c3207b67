// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;

/** Settings from the {@code safebunny.*} properties for handlers that have none of their own. */
public record HandlerDefaults(
        int prefetch, int messagesPerTransaction, int batchSize, RetrySettings retry, RetryStrategy delayedRetry) {

    /** Of batch handlers that set none. */
    public static final int BATCH_SIZE = 100;

    /** Each message in a transaction of its own. */
    public HandlerDefaults(int prefetch, RetrySettings retry, RetryStrategy delayedRetry) {
        this(prefetch, 1, BATCH_SIZE, retry, delayedRetry);
    }
}
