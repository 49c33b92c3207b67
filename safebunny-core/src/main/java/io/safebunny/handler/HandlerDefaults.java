// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.recovery.RetrySettings;
import io.safebunny.recovery.RetryStrategy;

/** Settings from the {@code safebunny.*} properties for handlers that have none of their own. */
public record HandlerDefaults(
        int prefetch, int messagesPerTransaction, RetrySettings retry, RetryStrategy delayedRetry) {

    /** Each message in a transaction of its own. */
    public HandlerDefaults(int prefetch, RetrySettings retry, RetryStrategy delayedRetry) {
        this(prefetch, 1, retry, delayedRetry);
    }
}
