// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.PoisonMessageException;
import io.safebunny.dedup.claim.Claim.NotWritten;
import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Done;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Claimed.SetAside;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.FailureDetails;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Translates failures of the store into what they mean for the message. A store that does not answer costs the message no
 * attempt; a record that the store refuses for good poisons the message. Code of the application that fails under the store is a failure
 * like the handler's. Thread-safe.
 */
public final class StoreFailures {

    /** Delay after which a message comes back when the store did not answer; its type is paused meanwhile. */
    public static final Duration COMES_BACK = Duration.ofSeconds(5);

    public static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);

    private final DedupLog log;

    public StoreFailures(DedupLog log) {
        this.log = log;
    }

    /**
     * Any other exception of a store counts as no answer.
     *
     * @throws RuntimeException code of the application that is run by the store failed
     */
    public Claimed claimed(String messageId, Supplier<Claimed> claim) {
        try {
            Claimed claimed = claim.get();
            if (claimed instanceof Ours || claimed instanceof Done) {
                log.answered();
            }
            return claimed;
        } catch (NotHandledException e) {
            return new Busy(e);
        } catch (InvalidMessageException e) {
            return new SetAside(Ending.poisoned(e.reason(), e));
        } catch (RecordRefusedException e) {
            InvalidMessageException refused = refused(e);
            return new SetAside(Ending.poisoned(refused.reason(), refused));
        } catch (RuntimeException e) {
            RuntimeException meaning = noAnswer(messageId, e);
            if (meaning instanceof NotHandledException busy) {
                return new Busy(busy);
            }
            throw meaning;
        }
    }

    /** Of a completion that was not written. */
    public NotWritten notWritten(Handling handling, RuntimeException e) {
        return new NotWritten(
                e instanceof RecordRefusedException refused
                        ? refused(refused)
                        : e instanceof NotHandledException ? e : noAnswer(handling, e));
    }

    /** Another delivery has the message by now, so the failure decides nothing, and this one comes back. */
    public Returned othersByNow(Throwable failure, NotHandledException instead) {
        log.othersByNow(failure, instead);
        instead.addSuppressed(failure);
        return Returned.because(instead);
    }

    /** While a message is claimed: its handler may have done something of which the failure tells. */
    public RuntimeException noAnswer(Handling handling, RuntimeException e) {
        return noAnswer(handling.message().id(), e, handling.details());
    }

    private RuntimeException noAnswer(String messageId, RuntimeException e) {
        return noAnswer(messageId, e, log.details());
    }

    private RuntimeException noAnswer(String messageId, RuntimeException e, FailureDetails details) {
        if (e instanceof ApplicationCodeException || e instanceof MisuseException) {
            return e; // the store may well answer
        }
        if (e instanceof StoreUnavailableException unavailable && unavailable.retryAfter() != null) {
            return NotHandledException.throttled(
                    "The store asks for patience: " + unavailable.messageWithoutCode(), unavailable.retryAfter());
        }
        log.noAnswer(messageId, "messages come back until it does", e, details);
        return NotHandledException.trouble("The store did not answer for message " + messageId, COMES_BACK);
    }

    /** A newer version of SafeBunny wrote what is needed, and handles the message; any other exception counts as no answer. */
    public RuntimeException unread(String messageId, RuntimeException e) {
        return e instanceof UnreadableRecordException unreadable
                ? NotHandledException.later(unreadable.messageWithoutCode(), Ownership.UNTIL_UPGRADED)
                : noAnswer(messageId, e);
    }

    static InvalidMessageException refused(RecordRefusedException e) {
        return refused(e, e.messageWithoutCode());
    }

    /** Of a message that is handled in order, and cannot be kept in the store until its next attempt. */
    public static Poisoned notKept(RecordRefusedException e, Throwable failure) {
        InvalidMessageException why = refused(
                e,
                "The message has failed, and cannot be kept in the store until its next attempt, as one that is handled in order is. "
                        + e.messageWithoutCode());
        why.addSuppressed(failure);
        return Ending.poisoned(why.reason(), why);
    }

    /** For the result of a step that has already been run: another attempt would run it again. */
    public static PoisonMessageException unstoredStep(String name, ApplicationCodeException e) {
        return new PoisonMessageException(
                "The result of step [%s] was not stored. The step has been run, and a replay runs it again. %s"
                        .formatted(name, e.messageWithoutCode()),
                e);
    }

    /** For the result of a step that has already been run. */
    public static InvalidMessageException refusedStep(String name, RecordRefusedException e) {
        return refused(
                e,
                "The result of step [%s] cannot be stored. The step has been run, and a replay runs it again. %s"
                        .formatted(name, e.messageWithoutCode()));
    }

    private static InvalidMessageException refused(RecordRefusedException e, String explanation) {
        PoisonReason reason = e instanceof RecordTooLargeException ? PoisonReason.TOO_LARGE : PoisonReason.NOT_STORABLE;
        return new InvalidMessageException(reason, explanation, e);
    }

    // ---- the wait between two tries of a write that must succeed

    /** @throws NotHandledException when interrupted */
    public static void pause(Timeline timeline) {
        pause(timeline, SHORTEST_PAUSE);
    }

    /**
     * Waits as long as the store asks, but leaves time for one more try.
     *
     * @throws NotHandledException when interrupted
     */
    public static void pause(Timeline timeline, RuntimeException e, Duration left) {
        Duration asked = e instanceof StoreUnavailableException unavailable ? unavailable.retryAfter() : null;
        Duration longest = left.minus(SHORTEST_PAUSE);
        Duration wanted = asked == null || asked.compareTo(longest) < 0 ? asked : longest;
        pause(timeline, wanted == null || wanted.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : wanted);
    }

    private static void pause(Timeline timeline, Duration time) {
        try {
            timeline.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw NotHandledException.later("Interrupted while waiting for the store", Duration.ZERO);
        }
    }
}
