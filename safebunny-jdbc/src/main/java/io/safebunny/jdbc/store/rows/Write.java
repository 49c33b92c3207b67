// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import java.util.Comparator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A record to be written.
 *
 * @param steps as JSON text, with the trail; {@code null} if there is neither
 * @param outgoing as JSON text; {@code null} if there is nothing to send
 */
public record Write(
        MessageRecord record,
        @Nullable String steps,
        @Nullable String outgoing) {

    /** Two writers that lock the same rows in different orders deadlock. */
    public static final Comparator<Write> BY_KEY = Comparator.comparing(
                    (Write write) -> write.record.key().correlationId())
            .thenComparing(write -> write.record.key().messageId());

    /**
     * @param limit of steps and outgoing together, in bytes of UTF-8
     * @throws RecordTooLargeException beyond the limit
     */
    public static Write of(MessageRecord record, long limit) {
        Map<String, String> content = record.content();
        Write write = new Write(
                record,
                content.isEmpty() ? null : RecordJson.writeSteps(content),
                record.outgoing().isEmpty() ? null : RecordJson.writeOutgoing(record.outgoing()));
        long size = write.bytes();
        if (size > limit) {
            throw new RecordTooLargeException(record.key(), size, limit);
        }
        return write;
    }

    /** Size of steps and outgoing in bytes of UTF-8. */
    long bytes() {
        return bytes(steps) + bytes(outgoing);
    }

    /** The same as drivers send it that put parameters into the statement: quotes and backslashes twice. */
    long quotedBytes() {
        return bytes() + quotes(steps) + quotes(outgoing);
    }

    private static long quotes(@Nullable String text) {
        return text == null
                ? 0
                : text.chars().filter(c -> c == '"' || c == '\'' || c == '\\').count();
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
