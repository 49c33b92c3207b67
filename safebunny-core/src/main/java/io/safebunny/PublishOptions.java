// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How one message is published. Immutable.
 *
 * @param correlationId the saga's id: a UUID or {@code [A-Za-z0-9._:-]{1,64}}; by default that of the message being handled,
 *     else derived from the idempotency key, else random
 * @param idempotencyKey makes the message id depend on this key instead of on the order of publishing: the same key gives
 *     the same id
 * @param delay how long the message waits before it can be consumed; zero (the default) to 365 days
 * @param headers the application's own headers: scalars, with names that do not begin with {@code sb-} or {@code x-}
 */
public record PublishOptions(
        @Nullable String correlationId, @Nullable String idempotencyKey, Duration delay, Map<String, Object> headers) {

    private static final PublishOptions NONE = new PublishOptions(null, null, Duration.ZERO, Map.of());

    public PublishOptions {
        headers = headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    public static PublishOptions none() {
        return NONE;
    }

    public PublishOptions withCorrelationId(String id) {
        return new PublishOptions(id, idempotencyKey, delay, headers);
    }

    public PublishOptions withIdempotencyKey(String key) {
        return new PublishOptions(correlationId, key, delay, headers);
    }

    public PublishOptions withDelay(Duration duration) {
        return new PublishOptions(correlationId, idempotencyKey, duration, headers);
    }

    public PublishOptions withHeader(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new PublishOptions(correlationId, idempotencyKey, delay, more);
    }
}
