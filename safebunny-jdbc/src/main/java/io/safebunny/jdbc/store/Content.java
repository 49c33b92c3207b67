// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import org.jspecify.annotations.Nullable;

/** The parts of a record that are stored as JSON text; {@code null} if empty. */
record Content(@Nullable String steps, @Nullable String outgoing) {

    /**
     * @param limit in bytes of UTF-8
     * @throws RecordTooLargeException beyond the limit
     */
    static Content of(MessageRecord record, long limit) {
        Content content = new Content(
                record.steps().isEmpty() ? null : RecordJson.writeSteps(record.steps()),
                record.outgoing().isEmpty() ? null : RecordJson.writeOutgoing(record.outgoing()));
        long size = content.bytes();
        if (size > limit) {
            throw new RecordTooLargeException(record.key(), size, limit);
        }
        return content;
    }

    /** Size in bytes as UTF-8. */
    long bytes() {
        return bytes(steps) + bytes(outgoing);
    }

    /** Counts without encoding the text. */
    private static long bytes(@Nullable String text) {
        if (text == null) {
            return 0;
        }
        long bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x800 && !Character.isSurrogate(c)) {
                bytes += 2;
            } else if (c >= 0x80) {
                bytes++; // each half of a surrogate pair counts two bytes: four in all
            }
        }
        return bytes;
    }
}
