// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import io.safebunny.failure.MisuseException;
import org.jspecify.annotations.Nullable;

/**
 * Selects copies: those that match every value that is set. Immutable.
 *
 * @param messageId their message id; {@code null} for all, as for every other value except the limit
 * @param digest the digest of their message, see {@link PoisonedMessage#digest}
 * @param type their message type
 * @param reason why they were set aside, as in {@code sb-poison-reason}
 * @param exception class name of what was thrown, with or without its package
 * @param correlationId their correlation id
 * @param limit maximum number of matching copies, 1 to 100,000
 */
public record PoisonFilter(
        @Nullable String messageId,
        @Nullable String digest,
        @Nullable String type,
        @Nullable String reason,
        @Nullable String exception,
        @Nullable String correlationId,
        int limit) {

    private static final int MOST = 100_000;

    public PoisonFilter {
        if (limit < 1 || limit > MOST) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid limit of a PoisonFilter [limit=%s]: it must be 1 to %s.".formatted(limit, MOST));
        }
    }

    /** All copies, but at most 1,000. */
    public static PoisonFilter all() {
        return new PoisonFilter(null, null, null, null, null, null, 1_000);
    }

    public PoisonFilter withMessageId(@Nullable String other) {
        return new PoisonFilter(other, digest, type, reason, exception, correlationId, limit);
    }

    public PoisonFilter withDigest(@Nullable String other) {
        return new PoisonFilter(messageId, other, type, reason, exception, correlationId, limit);
    }

    public PoisonFilter withType(@Nullable String other) {
        return new PoisonFilter(messageId, digest, other, reason, exception, correlationId, limit);
    }

    public PoisonFilter withReason(@Nullable String other) {
        return new PoisonFilter(messageId, digest, type, other, exception, correlationId, limit);
    }

    public PoisonFilter withException(@Nullable String other) {
        return new PoisonFilter(messageId, digest, type, reason, other, correlationId, limit);
    }

    public PoisonFilter withCorrelationId(@Nullable String other) {
        return new PoisonFilter(messageId, digest, type, reason, exception, other, limit);
    }

    public PoisonFilter withLimit(int other) {
        return new PoisonFilter(messageId, digest, type, reason, exception, correlationId, other);
    }

    public boolean matches(PoisonedMessage copy) {
        return (messageId == null || messageId.equals(copy.messageId()))
                && (digest == null || digest.equals(copy.digest()))
                && (type == null || type.equals(copy.type()))
                && (reason == null || reason.equals(copy.reason()))
                && (correlationId == null || correlationId.equals(copy.correlationId()))
                && (exception == null
                        || exception.equals(copy.exceptionType())
                        || copy.exceptionType().endsWith('.' + exception));
    }
}
