// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A record, and when it was last written.
 *
 * @param changedAt by the store's clock; {@code null} if the store does not know. Of a companion that has not ended it may be an earlier
 *     write
 */
public record DatedRecord(MessageRecord record, @Nullable Instant changedAt) {

    /** Companions shared by the partition first, then the others; each by their ids. */
    public static final Comparator<DatedRecord> SHARED_FIRST = Comparator.comparing(
                    (DatedRecord dated) -> !dated.record.key().isShared())
            .thenComparing(dated -> dated.record.key().messageId());
}
