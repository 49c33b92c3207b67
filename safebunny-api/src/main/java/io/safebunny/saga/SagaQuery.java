// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import io.safebunny.failure.MisuseException;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A query for a page of sagas. Immutable.
 *
 * @param saga only of this name; {@code null} for all
 * @param statuses only those with one of these
 * @param blocked only those whose {@link SagaView#blockedOn} is not empty, and those with a {@link SagaView#idleSince}
 * @param startedBefore only those that started before this moment; {@code null} for all
 * @param after {@link SagaPage#next} of the previous page; {@code null} for the first page
 * @param limit maximum to return, 1 to 1000
 */
public record SagaQuery(
        @Nullable String saga,
        Set<SagaStatus> statuses,
        boolean blocked,
        @Nullable Instant startedBefore,
        @Nullable String after,
        int limit) {

    private static final int MOST = 1000;

    /** Of any age. */
    public SagaQuery(
            @Nullable String saga, Set<SagaStatus> statuses, boolean blocked, @Nullable String after, int limit) {
        this(saga, statuses, blocked, null, after, limit);
    }

    /** @throws MisuseException SB-5001 when the limit is out of range */
    public SagaQuery {
        if (limit < 1 || limit > MOST) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid query of sagas [limit=%s]: it must be 1 to %s.".formatted(limit, MOST));
        }
        statuses = Set.copyOf(statuses);
    }
}
