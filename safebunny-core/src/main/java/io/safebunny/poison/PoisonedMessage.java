// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One copy in the poison queue, without its body. What its sender wrote is cut to a printable length; a text is empty when the copy lacks
 * it. Immutable.
 *
 * @param digest the same for all copies of one message
 * @param queue where the message was consumed, and goes when it is replayed
 * @param poisonedAt when it was set aside; {@code null} when it does not say
 * @param bodyBytes size of the body
 * @param headers the application's own
 * @param verdict what a replay would do
 * @param explanation of the verdict, as a sentence
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
        Map<String, Object> headers,
        Verdict verdict,
        String explanation) {

    public PoisonedMessage {
        headers = Map.copyOf(headers);
    }

    /** As it is remembered of operations. */
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
                Map.of(),
                verdict,
                explanation);
    }

    @Override
    public String toString() {
        return "PoisonedMessage[%s %s, %s, %s]".formatted(type, messageId, reason, verdict);
    }
}
