// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings from the {@code safebunny.*} properties for handlers that have none of their own.
 *
 * @param rates by type, unchecked; they take precedence over those of handlers
 */
public record HandlerDefaults(
        int prefetch,
        int messagesPerTransaction,
        int batchSize,
        RetrySettings retry,
        RetryStrategy delayedRetry,
        Map<String, String> rates) {

    /** Of batch handlers that set none. */
    public static final int BATCH_SIZE = 100;

    public HandlerDefaults {
        rates = Map.copyOf(rates);
    }

    /** The text of the rate of a type, however that is capitalized: environment variables are not. {@code null} if there is none. */
    public @Nullable String rateOf(String type) {
        String exact = rates.get(type);
        return exact != null
                ? exact
                : rates.entrySet().stream()
                        .filter(rate -> rate.getKey().equalsIgnoreCase(type))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(null);
    }

    /** No rates. */
    public HandlerDefaults(
            int prefetch, int messagesPerTransaction, int batchSize, RetrySettings retry, RetryStrategy delayedRetry) {
        this(prefetch, messagesPerTransaction, batchSize, retry, delayedRetry, Map.of());
    }

    /** Each message in a transaction of its own. */
    public HandlerDefaults(int prefetch, RetrySettings retry, RetryStrategy delayedRetry) {
        this(prefetch, 1, BATCH_SIZE, retry, delayedRetry);
    }
}
