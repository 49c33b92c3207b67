// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import io.safebunny.transport.OutboundMessage;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;

/**
 * A record, and when it was last written.
 *
 * @param changedAt by the store's clock. Of a companion that has not ended it may be an earlier write
 */
public record DatedRecord(MessageRecord record, Instant changedAt) {

    private static final long MUCH = 16_000_000;

    /** Companions shared by the partition first, then the others; each by their ids. */
    public static final Comparator<DatedRecord> SHARED_FIRST = Comparator.comparing(
                    (DatedRecord dated) -> !dated.record.key().isShared())
            .thenComparing(dated -> dated.record.key().messageId());

    /**
     * Whether the records hold more than 16 million characters and bytes in all. A search may end with them, so that what people look at
     * does not use up the memory; there may be more then, although the limit is not reached.
     */
    public static boolean holdMuch(Collection<DatedRecord> found) {
        return found.stream().mapToLong(DatedRecord::size).sum() > MUCH;
    }

    private long size() {
        long size = 0;
        for (String text : record.steps().values()) {
            size += text.length();
        }
        for (OutboundMessage message : record.outgoing()) {
            size += message.message().body().length;
        }
        return size;
    }
}
