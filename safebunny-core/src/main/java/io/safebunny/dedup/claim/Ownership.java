// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Done;
import io.safebunny.dedup.claim.Claimed.LaneMoved;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Claimed.SetAside;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Evidence;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.PoisonRecord;
import io.safebunny.failure.policy.PoisonRecord.By;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.failure.policy.Treatment;
import io.safebunny.handling.Handling;
import io.safebunny.identity.RandomIds;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides, by what is stored for a message, whether this delivery may handle it. Thread-safe. */
public final class Ownership {

    private static final Logger LOG = LoggerFactory.getLogger(Ownership.class);

    static final Duration UNTIL_UPGRADED = Duration.ofMinutes(1);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

    private final MessageStore store;
    private final Metrics metrics;
    private final Events events;
    private final DedupLog log;
    private final Duration lease;
    private final QuarantinePolicy quarantine;
    private final Attempts attempts;
    private final LeaseWatch watch;
    private final String process;
    private final AtomicLong claims = new AtomicLong();

    public Ownership(Node node, DedupLog log) {
        this.store = node.requireStore();
        this.metrics = node.metrics();
        this.events = node.events();
        this.log = log;
        this.lease = node.options().lease();
        // a message handled alone waits for the others, and they for it, no longer than a lease
        this.quarantine = new QuarantinePolicy(node.options().topology().deliveryLimit(), lease);
        this.attempts = new Attempts(log);
        this.watch = new LeaseWatch(node.timeline());
        this.process = RandomIds.next(node.timeline().random());
    }

    /** What becomes of messages whose claims fall silent. */
    public QuarantinePolicy quarantine() {
        return quarantine;
    }

    /**
     * @param before this delivery's claim of the attempt before, which is rolled back; {@code null} for its first
     * @param ours makes our claim from its record
     * @throws RuntimeException of the store
     */
    public Claimed claim(Handling handling, @Nullable MessageRecord before, Function<MessageRecord, Claim> ours) {
        Envelope message = handling.message();
        MessageRecord fresh = fresh(handling);
        MessageRecord stored = isWithLane(handling) ? createWithLane(handling, fresh) : create(asWritten(fresh));
        if (stored == null) {
            return new LaneMoved();
        }
        if (stored.owner().equals(fresh.owner())) {
            attempts.resume(handling, stored.attempt());
            return new Ours(ours.apply(stored));
        }
        if (RecordRules.isUnedited(message, stored)) {
            return edited(message, stored);
        }
        RecordRules.requireSameMessage(message, stored);
        handling.continues(
                handling.details().showsStoredTexts()
                        ? stored.trail()
                        : stored.trail().withoutTexts());
        int attempt = Attempts.believed(message, stored.attempt());
        return switch (stored.state()) {
            case COMPLETED, DISPATCHED, UNDONE ->
                before != null && stored.isSameWriteAs(before) // the handler has committed it, and failed
                        ? claimAgain(handling, stored, fresh.withAttempt(attempt), ours)
                        : new Done(stored);
            case PARKED ->
                handling.turn() == null || !handling.turn().isStored()
                        ? new Done(stored) // it runs from the store
                        : claimAgain(
                                handling, stored, fresh.withAttempt(attempt).withTakeovers(stored.takeovers()), ours);
            case RELEASED ->
                claimAgain(handling, stored, fresh.withAttempt(attempt).withTakeovers(stored.takeovers()), ours);
            case POISONED -> reopen(handling, stored, fresh, before != null, ours);
            case CLAIMED -> takeOver(handling, stored, fresh.withAttempt(attempt), ours);
        };
    }

    /** Whether the claim must be written with the lane of the message, because what was read of that may be outdated. */
    private boolean isWithLane(Handling handling) {
        LaneTurn turn = handling.turn();
        return turn != null && !turn.isStored() && !store.readsAreDecisive();
    }

    /** @return {@code null} if the lane is not as it was found */
    private @Nullable MessageRecord createWithLane(Handling handling, MessageRecord fresh) {
        try {
            JointWrite result = writeWithLane(handling, fresh);
            if (result instanceof JointWrite.Written written) {
                return written.records().get(0);
            }
            return RecordWrites.isCompanionOvertaken(result, fresh.key()) ? null : store.find(fresh.key());
        } catch (RecordRefusedException e) {
            throw e; // nothing was written
        } catch (RuntimeException e) {
            giveBack(fresh);
            throw e;
        }
    }

    private JointWrite writeWithLane(Handling handling, MessageRecord claim) {
        LaneTurn turn = Objects.requireNonNull(handling.turn());
        return store.writeTogether(List.of(claim, turn.touched(claim.owner())));
    }

    /**
     * Claims the message if nothing is to be decided about it: nothing is stored of it, or a claim that was given back at no cost.
     *
     * @return otherwise busy: the delivery's own {@link #claim} decides
     */
    public Claimed claimUndecided(Handling handling, Function<MessageRecord, Claim> ours) {
        MessageRecord fresh = fresh(handling);
        MessageRecord stored = create(asWritten(fresh));
        if (stored.owner().equals(fresh.owner())) {
            return new Ours(ours.apply(stored));
        }
        return stored.state() == RecordState.RELEASED && stored.attempt() == 0 && stored.takeovers() == 0
                ? claim(handling, null, ours)
                : new Busy(NotHandledException.later(
                        "Message %s is left to its own delivery"
                                .formatted(handling.message().id()),
                        Duration.ZERO));
    }

    /** A first claim, to be written. */
    MessageRecord fresh(Handling handling) {
        Envelope message = handling.message();
        return MessageRecord.claim(
                handling.key(),
                newOwner(),
                lease,
                Attempts.believed(message, 0),
                Fingerprint.of(message),
                handling.trail());
    }

    /** The claim of a message of which nothing is stored yet, as it is to be written. */
    public MessageRecord first(Handling handling) {
        return asWritten(fresh(handling));
    }

    /** Nobody else sees it before the commit that also ends its handling. */
    private MessageRecord asWritten(MessageRecord claim) {
        return store instanceof TransactionalMessageStore transactional && transactional.endsKnowingly()
                ? RecordRules.handled(claim)
                : claim;
    }

    /** Of one write or claim: nobody else has it. */
    String newOwner() {
        return process + '-' + claims.incrementAndGet();
    }

    private MessageRecord create(MessageRecord fresh) {
        try {
            return store.create(fresh);
        } catch (UnreadableRecordException e) {
            String id = fresh.key().messageId();
            log.tell(
                    Subject.error(LOG, "Messages wait for a newer version"),
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
                RecordState before = RecordRules.isStored(stored) ? RecordState.PARKED : RecordState.RELEASED;
                store.replace(stored.next(before));
            }
        } catch (RuntimeException e) {
            LOG.debug(
                    "The claim of message {}, if there is one, ends with its lease",
                    unanswered.key().messageId(),
                    e);
        }
    }

    /** Only by its own poison copy: anybody can write that a message is a replay, and an older copy is not the one that was looked at. */
    private Claimed reopen(
            Handling handling,
            MessageRecord stored,
            MessageRecord fresh,
            boolean again,
            Function<MessageRecord, Claim> ours) {
        Envelope message = handling.message();
        if (message.poisonVersion() != stored.version()) {
            return setAside(
                    PoisonReason.SET_ASIDE_BEFORE,
                    "The message was recorded as set aside before, so this copy was not handled; why is told by the poison message of then. If no other one has the same sb-poison-digest, its process ended before it was sent, and this copy is the only one: do not throw it away. To handle the message again, move this copy with all its headers.",
                    RecordRules.poisonRecord(message, stored, By.ANOTHER_DELIVERY));
        }
        Claimed claimed = claimAgain(handling, stored, fresh.withAttempt(0), ours);
        if (claimed instanceof Ours && !again) {
            metrics.reopened(message.type());
            String id = stored.key().messageId();
            log.tell(
                    Subject.warn(LOG, "Messages that were set aside are reopened by replays"),
                    id,
                    () -> LOG.warn(
                            "Message {} was set aside and is reopened by a replay [attempts before={}]; its attempts begin anew",
                            id,
                            stored.attempt() + 1));
        }
        return claimed;
    }

    /** Of a message that was edited in the poison queue only the edited copy is handled, whether it was by now or not. */
    private static Claimed edited(Envelope message, MessageRecord stored) {
        boolean waits = stored.state() == RecordState.POISONED;
        return setAside(
                PoisonReason.SET_ASIDE_BEFORE,
                "The message was edited since this copy of it was set aside, so this copy was not handled [sb-poison-version=%s, stored=%s]. If the edited copy is in the poison queue, replay that one; if not, it was handled. Discard this one."
                        .formatted(message.poisonVersion(), stored.version()),
                new PoisonRecord(0, waits ? By.ANOTHER_DELIVERY : By.ITS_EDITOR));
    }

    private static SetAside setAside(PoisonReason reason, String why, PoisonRecord known) {
        return new SetAside(Ending.poisoned(reason, new InvalidMessageException(reason, why))
                .storedAs(known));
    }

    private Claimed takeOver(
            Handling handling, MessageRecord stored, MessageRecord fresh, Function<MessageRecord, Claim> ours) {
        Duration remaining = watch.remaining(stored);
        if (remaining.toNanos() > 0) {
            return busy(handling, remaining);
        }
        int takeovers = stored.takeovers() + 1;
        if (quarantine.decide(Evidence.ofRecord(takeovers)) instanceof Treatment.SetAside) {
            return setAside(handling, stored, takeovers);
        }
        Claimed claimed = claimAgain(handling, stored, fresh.withTakeovers(takeovers), ours);
        if (claimed instanceof Ours) {
            metrics.claimTakenOver(handling.message().type());
            events.takenOver(handling.message(), takeovers);
            log.tell(
                    Subject.info(LOG, "Messages are handled again whose claims did not change"),
                    handling.message().id(),
                    () -> LOG.info(
                            "Handling message {} again: its claim has not changed for {} ms",
                            handling.message().id(),
                            stored.lease().toMillis()));
        }
        return claimed;
    }

    /** Together with what depends on it. */
    private Claimed setAside(Handling handling, MessageRecord stored, int takeovers) {
        InvalidMessageException why = new InvalidMessageException(
                PoisonReason.DELIVERY_LIMIT,
                "The handling of the message was begun and never ended [claims=%s, limit=safebunny.topology.delivery-limit]: it probably ends the process that handles it. Find out why before replaying it."
                        .formatted(takeovers));
        Poisoned ending = Ending.poisoned(why.reason(), why);
        MessageRecord next = stored.next(RecordState.POISONED).withTakeovers(0);
        LaneTurn turn = handling.turn();
        MessageRecord poisoned = turn == null ? next : turn.kept(next, ending);
        JointWrite result = RecordWrites.tryEnded(
                store, handling, ending, newOwner(), companions -> RecordWrites.write(store, poisoned, companions));
        if (result instanceof JointWrite.Written written) {
            watch.forget(poisoned.key());
            return new SetAside(ending.storedAs(RecordRules.poisonRecord(
                    handling.message(), written.records().get(0), By.THIS_DELIVERY)));
        }
        // Its owner was only slow, or what depends on it was changed meanwhile: the next delivery reads both anew. Not
        // at once, because the transaction that may be open can do no more.
        return busy(handling, lease);
    }

    /** @param fresh with the attempt and the takeovers that our claim begins with */
    private Claimed claimAgain(
            Handling handling, MessageRecord stored, MessageRecord fresh, Function<MessageRecord, Claim> ours) {
        MessageRecord next = asWritten(RecordRules.claimed(stored, fresh).withTrail(handling.trail()));
        MessageRecord claim;
        try {
            if (isWithLane(handling)) {
                JointWrite result = writeWithLane(handling, next);
                if (RecordWrites.isCompanionOvertaken(result, next.key())) {
                    return new LaneMoved();
                }
                claim = result instanceof JointWrite.Written written
                        ? written.records().get(0)
                        : null;
            } else {
                claim = store.replace(next);
            }
        } catch (RecordRefusedException e) {
            throw e;
        } catch (RuntimeException e) {
            giveBack(next);
            throw e;
        }
        if (claim == null) {
            return busy(handling, lease);
        }
        watch.forget(claim.key());
        attempts.resume(handling, fresh.attempt());
        return new Ours(ours.apply(claim));
    }

    /** How long the claim is still respected. */
    Duration remaining(MessageRecord stored) {
        return watch.remaining(stored);
    }

    Busy busy(Handling handling, Duration remaining) {
        metrics.duplicateBusy(handling.message().type());
        return new Busy(NotHandledException.later(
                "Another delivery of message %s is being handled"
                        .formatted(handling.message().id()),
                comeBack(remaining)));
    }

    /** Several times per lease: often enough for the message not to wait much longer than needed, without loading the broker. */
    public Duration comeBack(Duration remaining) {
        Duration step = lease.dividedBy(6);
        Duration wait = remaining.compareTo(step) < 0 ? remaining : step;
        return wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
    }
}
