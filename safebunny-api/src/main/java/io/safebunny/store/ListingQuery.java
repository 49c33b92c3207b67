// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.MisuseException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects companions of one kind and status, which every store can find by an index, in order. Immutable.
 *
 * @param createdFrom only those created at this moment or later; {@code null} for all
 * @param createdBefore only those created before this moment; {@code null} for all
 * @param limit maximum to return, at least 1
 */
public record ListingQuery(
        String kind,
        String status,
        @Nullable Instant createdFrom,
        @Nullable Instant createdBefore,
        int limit) {

    public ListingQuery {
        if (limit < 1) {
            throw new MisuseException(
                    MisuseException.ARGUMENT, "Invalid limit [%s]: it must be at least 1.".formatted(limit));
        }
    }
}
