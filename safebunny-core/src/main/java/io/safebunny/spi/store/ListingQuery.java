// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.store;

import io.safebunny.failure.MisuseException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which companions to list. Immutable.
 *
 * @param kind {@code null} for every kind
 * @param status {@code null} for every status
 * @param createdBefore only those created before this moment; {@code null} for all
 * @param limit most to return, at least 1
 */
public record ListingQuery(
        @Nullable String kind,
        @Nullable String status,
        @Nullable Instant createdBefore,
        int limit) {

    public ListingQuery {
        if (limit < 1) {
            throw new MisuseException(
                    MisuseException.ARGUMENT, "Invalid limit [%d]: it must be at least 1.".formatted(limit));
        }
    }
}
