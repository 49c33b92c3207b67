// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.NotYetReadableException;
import io.safebunny.message.PoisonReason;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How much logs, poison messages, records and spans show of the failures of one type's messages. If its bodies are encrypted, no text of
 * what has seen them decrypted: it may quote them. Immutable.
 *
 * @param details of what may have seen a body
 * @param unread of what failed before a body could be read, and so cannot quote it: which key is missing, who may not send
 */
public record FailureDetails(ExceptionDetails details, ExceptionDetails unread) {

    private static final Set<PoisonReason> BEFORE_READING = EnumSet.of(
            PoisonReason.UNDECRYPTABLE,
            PoisonReason.NOT_ENCRYPTED,
            PoisonReason.CLAIM_MISSING,
            PoisonReason.INVALID_CLAIM,
            PoisonReason.MISSING_PROPERTY,
            PoisonReason.UNKNOWN_TYPE,
            PoisonReason.WRONG_QUEUE,
            PoisonReason.TOO_OLD);

    /** Everything. */
    public static final FailureDetails FULL = of(ExceptionDetails.FULL);

    /** Alike for all failures. */
    public static FailureDetails of(ExceptionDetails all) {
        return new FailureDetails(all, all);
    }

    /** The same of what has seen no body, and no text of what may have seen one. */
    public FailureDetails ofEncrypted() {
        return new FailureDetails(ExceptionDetails.TYPE_ONLY, unread);
    }

    /** Whether texts that were stored before may be shown. */
    public boolean showsStoredTexts() {
        return details == ExceptionDetails.FULL;
    }

    /** The part of the failure that may be shown. */
    public Throwable shown(Throwable failure) {
        return of(failure).of(failure);
    }

    /** The part of the failure that may be logged. */
    public Throwable logged(Throwable failure) {
        return of(failure).logged(failure);
    }

    /** The failure's own text; {@code null} if it has none or it must not be shown. */
    public @Nullable String text(Throwable failure) {
        return of(failure).text(failure);
    }

    /** What observations are told: the failure itself, unless its text must not be shown. */
    public Throwable observed(Throwable failure) {
        return of(failure) == ExceptionDetails.FULL ? failure : ExceptionDetails.TYPE_ONLY.of(failure);
    }

    private ExceptionDetails of(Throwable failure) {
        return isUnread(failure) ? unread : details;
    }

    private static boolean isUnread(Throwable failure) {
        boolean isUnread = failure instanceof InvalidMessageException invalid
                ? BEFORE_READING.contains(invalid.reason())
                : failure instanceof NotYetReadableException || failure instanceof SubjectErasedException;
        return isUnread && failure.getSuppressed().length == 0; // that could be what a handler has thrown
    }
}
