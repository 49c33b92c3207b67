// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import io.safebunny.failure.MisuseException;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Selects copies: those that match every value that is set. Immutable.
 *
 * @param messageIds their message ids, at most 1,000; empty for all
 * @param digest the digest of their message, see {@link PoisonedMessage#digest}; {@code null} for all, as for the values below
 * @param type their message type
 * @param reason why they were set aside, as in {@code sb-poison-reason}
 * @param exception class name of what was thrown, with or without its package
 * @param correlationId their correlation id
 * @param verdict what a replay would do with them; a copy whose verdict is {@link Verdict#UNKNOWN} matches as well, because it may be one of
 *     these, but is not moved then
 * @param limit maximum number of matching copies, 1 to 100,000
 */
public record PoisonFilter(
        Set<String> messageIds,
        @Nullable String digest,
        @Nullable String type,
        @Nullable String reason,
        @Nullable String exception,
        @Nullable String correlationId,
        @Nullable Verdict verdict,
        int limit) {

    private static final int MOST = 100_000;
    private static final int MOST_IDS = 1_000;
    private static final int MOST_SHOWN = 5;

    public PoisonFilter {
        if (limit < 1 || limit > MOST) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid limit of a PoisonFilter [limit=%s]: it must be 1 to %s.".formatted(limit, MOST));
        }
        if (messageIds.size() > MOST_IDS) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Too many message ids of a PoisonFilter [ids=%s]: at most %s. Select by type, reason, exception or correlation id, or in several operations."
                            .formatted(messageIds.size(), MOST_IDS));
        }
        messageIds = Set.copyOf(messageIds);
    }

    /** All copies, but at most 1,000. */
    public static PoisonFilter all() {
        return new PoisonFilter(Set.of(), null, null, null, null, null, null, 1_000);
    }

    public PoisonFilter withMessageId(@Nullable String other) {
        return ofIds(other == null ? Set.of() : Set.of(other));
    }

    /**
     * Copies of these messages.
     *
     * @throws MisuseException if it is empty, so that a selection of nothing is not one of all
     */
    public PoisonFilter withMessageIds(Set<String> others) {
        if (others.isEmpty()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "No message ids of a PoisonFilter: give at least one, or do not call withMessageIds to select all.");
        }
        return ofIds(others);
    }

    private PoisonFilter ofIds(Set<String> others) {
        return new PoisonFilter(others, digest, type, reason, exception, correlationId, verdict, limit);
    }

    public PoisonFilter withDigest(@Nullable String other) {
        return new PoisonFilter(messageIds, other, type, reason, exception, correlationId, verdict, limit);
    }

    public PoisonFilter withType(@Nullable String other) {
        return new PoisonFilter(messageIds, digest, other, reason, exception, correlationId, verdict, limit);
    }

    public PoisonFilter withReason(@Nullable String other) {
        return new PoisonFilter(messageIds, digest, type, other, exception, correlationId, verdict, limit);
    }

    public PoisonFilter withException(@Nullable String other) {
        return new PoisonFilter(messageIds, digest, type, reason, other, correlationId, verdict, limit);
    }

    public PoisonFilter withCorrelationId(@Nullable String other) {
        return new PoisonFilter(messageIds, digest, type, reason, exception, other, verdict, limit);
    }

    public PoisonFilter withVerdict(@Nullable Verdict other) {
        return new PoisonFilter(messageIds, digest, type, reason, exception, correlationId, other, limit);
    }

    /** With the number of the message ids, if they are many. */
    @Override
    public String toString() {
        return "PoisonFilter[messageIds=%s, digest=%s, type=%s, reason=%s, exception=%s, correlationId=%s, verdict=%s, limit=%s]"
                .formatted(
                        messageIds.size() > MOST_SHOWN ? messageIds.size() + " ids" : new TreeSet<>(messageIds),
                        digest,
                        type,
                        reason,
                        exception,
                        correlationId,
                        verdict,
                        limit);
    }

    public PoisonFilter withLimit(int other) {
        return new PoisonFilter(messageIds, digest, type, reason, exception, correlationId, verdict, other);
    }

    /** Whether the values it has of a group match; the others do not count. */
    public boolean matches(PoisonGroup group) {
        return matches(group.type(), group.reason(), group.exception());
    }

    private boolean matches(String ofType, String ofReason, String ofException) {
        return (type == null || type.equals(ofType))
                && (reason == null || reason.equals(ofReason))
                && (exception == null || exception.equals(ofException) || ofException.endsWith('.' + exception));
    }

    /** Whether it matches the copy. */
    public boolean matches(PoisonedMessage copy) {
        return (messageIds.isEmpty() || messageIds.contains(copy.messageId()))
                && (digest == null || digest.equals(copy.digest()))
                && (correlationId == null || correlationId.equals(copy.correlationId()))
                && (verdict == null || verdict == copy.verdict() || copy.verdict() == Verdict.UNKNOWN)
                && matches(copy.type(), copy.reason(), copy.exceptionType());
    }
}
