// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import java.util.Comparator;

/** A record to be written, with its JSON parts already serialized. */
record Write(MessageRecord record, Content content) {

    /** Two writers that lock the same rows in different orders deadlock. */
    static final Comparator<Write> BY_KEY = Comparator.comparing(
                    (Write write) -> write.record.key().correlationId())
            .thenComparing(write -> write.record.key().messageId());

    /** @throws RecordTooLargeException beyond the limit of the options */
    static Write of(MessageRecord record, JdbcStoreOptions options) {
        return new Write(record, Content.of(record, options.maxContentBytes()));
    }
}
