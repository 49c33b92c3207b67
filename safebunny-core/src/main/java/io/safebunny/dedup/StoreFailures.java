// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.PoisonMessageException;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Translates failures of the store into what they mean for the message. A store that does not answer costs the message no
 * attempt; a record that the store refuses for good poisons the message. Code of the application that fails under the store is a failure
 * like the handler's. Thread-safe.
 */
final class StoreFailures {

    /** Delay after which a message comes back when the store did not answer; its type is paused meanwhile. */
    static final Duration COMES_BACK = Duration.ofSeconds(5);

    private final DedupLog log;

    StoreFailures(DedupLog log) {
        this.log = log;
    }

    /** Any other exception of a store counts as no answer. */
    MessageRecord claimed(String messageId, Supplier<MessageRecord> claim) {
        try {
            MessageRecord record = claim.get();
            log.answered();
            return record;
        } catch (NotHandledException | InvalidMessageException | ApplicationCodeException | MisuseException e) {
            throw e;
        } catch (RecordRefusedException e) {
            throw refused(e);
        } catch (RuntimeException e) {
            throw noAnswer(messageId, e);
        }
    }

    RuntimeException noAnswer(String messageId, RuntimeException e) {
        if (e instanceof ApplicationCodeException || e instanceof MisuseException) {
            return e; // the store may well answer
        }
        if (e instanceof StoreUnavailableException unavailable && unavailable.retryAfter() != null) {
            return NotHandledException.throttled(
                    "The store asks for patience: " + unavailable.messageWithoutCode(), unavailable.retryAfter());
        }
        log.noAnswer(messageId, "messages come back until it does", e);
        return NotHandledException.trouble("The store did not answer for message " + messageId, COMES_BACK);
    }

    /** A newer version of SafeBunny wrote what is needed, and handles the message; any other exception counts as no answer. */
    RuntimeException unread(String messageId, RuntimeException e) {
        return e instanceof UnreadableRecordException unreadable
                ? NotHandledException.later(unreadable.messageWithoutCode(), Claiming.UNTIL_UPGRADED)
                : noAnswer(messageId, e);
    }

    static InvalidMessageException refused(RecordRefusedException e) {
        return refused(e, e.messageWithoutCode());
    }

    /** For the result of a step that has already been run: another attempt would run it again. */
    static PoisonMessageException unstoredStep(String name, ApplicationCodeException e) {
        return new PoisonMessageException(
                "The result of step [%s] was not stored. The step has been run, and a replay runs it again. %s"
                        .formatted(name, e.messageWithoutCode()),
                e);
    }

    /** For the result of a step that has already been run. */
    static InvalidMessageException refusedStep(String name, RecordRefusedException e) {
        return refused(
                e,
                "The result of step [%s] cannot be stored. The step has been run, and a replay runs it again. %s"
                        .formatted(name, e.messageWithoutCode()));
    }

    private static InvalidMessageException refused(RecordRefusedException e, String explanation) {
        PoisonReason reason = e instanceof RecordTooLargeException ? PoisonReason.TOO_LARGE : PoisonReason.NOT_STORABLE;
        return new InvalidMessageException(reason, explanation, e);
    }
}
