// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.handling.Handling;
import io.safebunny.identity.RandomIds;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.recovery.Evidence;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.QuarantinePolicy;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.recovery.Treatment.SetAside;
import io.safebunny.store.Fingerprint;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordState;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides, by what is stored for a message, whether this delivery may handle it. Thread-safe. */
final class Claiming {

    private static final Logger LOG = LoggerFactory.getLogger(Claiming.class);

    static final Duration UNTIL_UPGRADED = Duration.ofMinutes(1);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

    private final MessageStore store;
    private final Metrics metrics;
    private final Events events;
    private final DedupLog log;
    private final DedupOptions options;
    private final QuarantinePolicy quarantine;
    private final Attempts attempts;
    private final LeaseWatch watch;
    private final String process;
    private final AtomicLong claims = new AtomicLong();

    Claiming(
            MessageStore store, Timeline timeline, Metrics metrics, Events events, DedupLog log, DedupOptions options) {
        this.store = store;
        this.metrics = metrics;
        this.events = events;
        this.log = log;
        this.options = options;
        this.quarantine = options.quarantine();
        this.attempts = new Attempts(log);
        this.watch = new LeaseWatch(timeline);
        this.process = RandomIds.next(timeline.random());
    }

    /**
     * @param again by the same delivery, whose claim before was rolled back
     * @return our claim, or the record of the completed, dispatched or undone message
     * @throws NotHandledException somebody else's claim
     * @throws InvalidMessageException it was or must be set aside
     */
    MessageRecord claim(Handling handling, boolean again) {
        Envelope message = handling.message();
        MessageRecord fresh = fresh(handling);
        MessageRecord stored = create(fresh);
        if (stored.owner().equals(fresh.owner())) {
            attempts.resume(handling, stored.attempt());
            return stored;
        }
        requireEdited(handling, stored);
        IdCollision.requireNone(message, stored);
        return switch (stored.state()) {
            case COMPLETED, DISPATCHED, UNDONE -> stored;
            case RELEASED ->
                claimAgain(handling, stored, fresh, Attempts.believed(message, stored.attempt()), stored.takeovers());
            case POISONED -> reopen(handling, stored, fresh, again);
            case CLAIMED -> takeOver(handling, stored, fresh, Attempts.believed(message, stored.attempt()));
        };
    }

    /** A first claim, to be written. */
    MessageRecord fresh(Handling handling) {
        Envelope message = handling.message();
        return MessageRecord.claim(
                handling.records().key(),
                newOwner(),
                options.lease(),
                Attempts.believed(message, 0),
                Fingerprint.of(message));
    }

    /** Of one write or claim: nobody else has it. */
    String newOwner() {
        return process + '-' + claims.incrementAndGet();
    }

    /** This delivery is not handled, because the message has been, or must not be any more. */
    void suppressed(Envelope message, MessageRecord record) {
        metrics.duplicateSuppressed(message.type());
        if (record.state() == RecordState.UNDONE) {
            log.tell(
                    Kind.info(LOG, "Messages are not handled because they were undone"),
                    message.id(),
                    () -> LOG.info(
                            "Message {} is not handled: it is a step that was undone [correlation_id={}, type={}]",
                            message.id(),
                            message.correlationId(),
                            message.type()));
            return;
        }
        LOG.debug(
                "Suppressed a duplicate of message {} [correlation_id={}, type={}]",
                message.id(),
                message.correlationId(),
                message.type());
    }

    private MessageRecord create(MessageRecord fresh) {
        try {
            return store.create(fresh);
        } catch (UnreadableRecordException e) {
            String id = fresh.key().messageId();
            log.tell(
                    Kind.error(LOG, "Messages wait for a newer version"),
                    id,
                    () -> LOG.error("Message {} waits", id, log.tellable(e)));
            throw NotHandledException.later(e.messageWithoutCode(), UNTIL_UPGRADED);
        } catch (RecordRefusedException e) {
            throw e; // nothing was written
        } catch (RuntimeException e) {
            giveBack(fresh);
            throw e;
        }
    }

    /** A claim whose answer got lost would look like one whose owner fell silent. */
    private void giveBack(MessageRecord unanswered) {
        try {
            MessageRecord stored = store.find(unanswered.key());
            if (stored != null && stored.owner().equals(unanswered.owner())) {
                store.replace(stored.next(RecordState.RELEASED));
            }
        } catch (RuntimeException e) {
            LOG.debug(
                    "The claim of message {}, if there is one, ends with its lease",
                    unanswered.key().messageId(),
                    e);
        }
    }

    /** Only by its own poison copy: anybody can write that a message is a replay, and an older copy is not the one that was looked at. */
    private MessageRecord reopen(Handling handling, MessageRecord stored, MessageRecord fresh, boolean again) {
        if (handling.message().poisonVersion() != stored.version()) {
            keepPoisonVersion(handling, stored);
            handling.setAsideByAnother();
            throw new InvalidMessageException(
                    PoisonReason.SET_ASIDE_BEFORE,
                    "The message was recorded as set aside before, so this copy was not handled; why is told by the poison message of then. If no other one has the same sb-poison-digest, its process ended before it was sent, and this copy is the only one: do not throw it away. To handle the message again, move this copy with all its headers.");
        }
        MessageRecord claim = claimAgain(handling, stored, fresh, 0, 0);
        if (!again) {
            metrics.reopened(handling.message().type());
            String id = stored.key().messageId();
            log.tell(
                    Kind.warn(LOG, "Messages that were set aside are reopened by replays"),
                    id,
                    () -> LOG.warn(
                            "Message {} was set aside and is reopened by a replay [attempts before={}]; its attempts begin anew",
                            id,
                            stored.attempt() + 1));
        }
        return claim;
    }

    /** Of a message that was edited in the poison queue only the edited copy is handled, whether it was by now or not. */
    private static void requireEdited(Handling handling, MessageRecord stored) {
        if (!IdCollision.isUnedited(handling.message(), stored)) {
            return;
        }
        handling.setAsideByAnother();
        if (stored.state() != RecordState.POISONED) {
            handling.endedAsEdited();
        }
        throw new InvalidMessageException(
                PoisonReason.SET_ASIDE_BEFORE,
                "The message was edited since this copy of it was set aside, so this copy was not handled [sb-poison-version=%s, stored=%s]. If the edited copy is in the poison queue, replay that one; if not, it was handled. Discard this one."
                        .formatted(handling.message().poisonVersion(), stored.version()));
    }

    /** So that its poison copy has the version by which it can be replayed; not one from before its message was edited. */
    static void keepPoisonVersion(Handling handling, MessageRecord stored) {
        if (stored.state() == RecordState.POISONED && stored.fingerprint().isOf(handling.message())) {
            handling.setPoisonVersion(stored.version());
        }
    }

    private MessageRecord takeOver(Handling handling, MessageRecord stored, MessageRecord fresh, int attempt) {
        Duration remaining = watch.remaining(stored);
        if (remaining.toNanos() > 0) {
            throw busy(handling, remaining);
        }
        int takeovers = stored.takeovers() + 1;
        if (quarantine.decide(Evidence.ofRecord(takeovers)) instanceof SetAside) {
            keepPoisonVersion(
                    handling,
                    setAside(handling, stored.next(RecordState.POISONED).withTakeovers(0)));
            watch.forget(stored.key());
            throw new InvalidMessageException(
                    PoisonReason.DELIVERY_LIMIT,
                    "The handling of the message was begun and never ended [claims=%s, limit=safebunny.topology.delivery-limit]: it probably ends the process that handles it. Find out why before replaying it."
                            .formatted(takeovers));
        }
        MessageRecord claim = claimAgain(handling, stored, fresh, attempt, takeovers);
        metrics.claimTakenOver(handling.message().type());
        events.takenOver(handling.message(), takeovers);
        log.tell(
                Kind.info(LOG, "Messages are handled again whose claims did not change"),
                handling.message().id(),
                () -> LOG.info(
                        "Handling message {} again: its claim has not changed for {} ms",
                        handling.message().id(),
                        stored.lease().toMillis()));
        return claim;
    }

    /** Together with what depends on it. */
    private MessageRecord setAside(Handling handling, MessageRecord poisoned) {
        SetAsideWrites together = new SetAsideWrites(handling, store);
        if (RecordWrites.replace(store, poisoned, together.read()) instanceof JointWrite.Written written) {
            together.written();
            return written.records().get(0);
        }
        // Its owner was only slow, or what depends on it was changed meanwhile: the next delivery reads both anew. Not
        // at
        // once, because the transaction that may be open can do no more.
        throw busy(handling, options.lease());
    }

    private MessageRecord claimAgain(
            Handling handling, MessageRecord stored, MessageRecord fresh, int attempt, int takeovers) {
        MessageRecord ours = stored.claimedBy(fresh.owner(), fresh.lease(), attempt, takeovers);
        MessageRecord claim;
        try {
            claim = store.replace(ours);
        } catch (RecordRefusedException e) {
            throw e;
        } catch (RuntimeException e) {
            giveBack(ours);
            throw e;
        }
        if (claim == null) {
            throw busy(handling, options.lease());
        }
        watch.forget(claim.key());
        attempts.resume(handling, attempt);
        return claim;
    }

    private NotHandledException busy(Handling handling, Duration remaining) {
        metrics.duplicateBusy(handling.message().type());
        return NotHandledException.later(
                "Another delivery of message %s is being handled"
                        .formatted(handling.message().id()),
                comeBack(remaining));
    }

    /** Some times per lease, so that neither the broker nor the message waits much longer than needed. */
    Duration comeBack(Duration remaining) {
        Duration step = options.lease().dividedBy(6);
        Duration wait = remaining.compareTo(step) < 0 ? remaining : step;
        return wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
    }

    /** The claim after a failure: whether the message comes again, and as which attempt. */
    static MessageRecord released(MessageRecord claimed, RecoveryAction next) {
        return switch (next.record()) {
            case STAYS_CLAIMED -> claimed.next(RecordState.CLAIMED);
            case RELEASED -> claimed.next(RecordState.RELEASED); // perhaps its handler was not even begun
            case ATTEMPT_FAILED ->
                claimed.next(RecordState.RELEASED)
                        .withAttempt(claimed.attempt() + 1)
                        .withTakeovers(0);
            case POISONED -> claimed.next(RecordState.POISONED).withTakeovers(0);
        };
    }
}
