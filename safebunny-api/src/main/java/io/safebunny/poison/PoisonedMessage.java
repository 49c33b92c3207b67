// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One copy in the poison queue, without its body. Texts from its sender are shortened and made printable; missing ones are empty.
 * Immutable.
 *
 * @param digest the same for all copies of one message
 * @param queue the queue that it came from and that a replay sends it to
 * @param poisonedAt when it was set aside; {@code null} if unknown
 * @param bodyBytes size of the body, encoded
 * @param encoding how the body is encoded, such as {@code gzip} or {@code sb-aes}; empty if it is not
 * @param headers the application's own headers
 * @param verdict what a replay would do
 * @param explanation explains the verdict, in a sentence
 */
public record PoisonedMessage(
        String digest,
        String messageId,
        String correlationId,
        String type,
        String reason,
        String queue,
        @Nullable Instant poisonedAt,
        String exceptionType,
        String exceptionMessage,
        int bodyBytes,
        String encoding,
        Map<String, Object> headers,
        Verdict verdict,
        String explanation) {

    public PoisonedMessage {
        headers = Map.copyOf(headers);
    }

    /** Without headers, as operations remember it. */
    public PoisonedMessage withoutHeaders() {
        return new PoisonedMessage(
                digest,
                messageId,
                correlationId,
                type,
                reason,
                queue,
                poisonedAt,
                exceptionType,
                exceptionMessage,
                bodyBytes,
                encoding,
                Map.of(),
                verdict,
                explanation);
    }

    @Override
    public String toString() {
        return "PoisonedMessage[%s %s, %s, %s]".formatted(type, messageId, reason, verdict);
    }
}
