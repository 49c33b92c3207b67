// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.dedup.claim.StoreFailures;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.failure.MessageExpiredException;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Retried;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.FailedAttempt;
import io.safebunny.failure.policy.FailedAttempt.Age;
import io.safebunny.failure.policy.FailedAttempt.TimeLeft;
import io.safebunny.failure.policy.PoisonRecord;
import io.safebunny.failure.policy.PoisonRecord.By;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.observation.Events;
import io.safebunny.observation.FailureDetails;
import io.safebunny.observation.Metrics;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.poison.queue.FailureLog;
import io.safebunny.poison.queue.Mover;
import io.safebunny.poison.queue.Mover.Outcome;
import io.safebunny.poison.queue.PoisonQueue;
import io.safebunny.poison.queue.Settlement;
import io.safebunny.store.record.Trail;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.validation.AgeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the {@link RecoveryPolicy} decide how a delivery ends, and carries out endings. The copy that goes elsewhere is confirmed before
 * the original may be acknowledged. Thread-safe.
 */
final class Recoverer {

    private static final Logger LOG = LoggerFactory.getLogger(Recoverer.class);

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private final RecoveryPolicy policy;
    /** Whether a method runs in place of the handler when a message has expired. */
    private final boolean isToldOfExpired;

    private final AgeLimit ageLimit;
    private final Timeline timeline;
    private final FailureDetails details;
    private final String instance;
    private final String type;
    private final String address;
    private final Mover mover;
    private final PoisonQueue poisonQueue;
    private final FailureLog log;
    private final Metrics metrics;
    private final Events events;

    Recoverer(Node node, HandlerDefinition handler, Mover mover, PoisonQueue poisonQueue, FailureLog log) {
        this.policy = handler.recovery();
        this.isToldOfExpired = handler.onExpired() != null;
        this.ageLimit = AgeLimit.of(node);
        this.timeline = node.timeline();
        this.details = node.details().of(handler.type());
        this.instance = node.parts().instance();
        this.type = handler.type();
        this.address = Names.address(node.name(), handler.type());
        this.mover = mover;
        this.poisonQueue = poisonQueue;
        this.log = log;
        this.metrics = node.metrics();
        this.events = node.events();
    }

    /**
     * Decides, and logs, an in-memory retry after the handler failed.
     *
     * @param retries in-memory retries in this delivery so far
     * @return the wait before the retry; {@code null} for no retry
     */
    @Nullable
    Duration again(HandledMessage message, Throwable failure, int retries) {
        Duration again = policy.again(attempt(message, failure, TimeLeft.UNLIMITED), retries);
        if (again != null && message.timeLeft(timeline).endsWithin(again)) {
            message.cutShort();
            return null;
        }
        if (again != null) {
            tell(
                    message,
                    "in-memory retry %s of %s"
                            .formatted(retries + 1, policy.inMemory().maxRetries()),
                    failure);
        }
        return again;
    }

    /** Poisons a delivery that is not a valid message. */
    Settlement refuse(Delivery delivery, InvalidMessageException why) {
        return poisonQueue.putUnhandled(delivery, why.reason(), why);
    }

    /**
     * Tells the record that a run of the handler has failed, whatever a middleware around it makes of that.
     *
     * @param wait until the next run; {@code null} if there is none
     */
    void failed(HandledMessage message, Throwable failure, @Nullable Duration wait) {
        boolean isAttempt = !RecoveryPolicy.costsNothing(failure) && !(failure instanceof SubjectErasedException);
        if (message.delivery.isOpen() && isAttempt) {
            note(message, failure, wait);
        }
    }

    /** Decides how the delivery ends after this failure, which came out of the before group, or kept the handler from running. */
    Failed end(HandledMessage message, Throwable failure) {
        return end(message, failure, TimeLeft.UNLIMITED);
    }

    /** Like {@link #end}, for a message that is claimed by this delivery: it may have expired. */
    Failed endOfRun(HandledMessage message, Throwable failure) {
        Failed ending = end(message, failure, message.timeLeft(timeline));
        if (!(ending instanceof Poisoned poisoned)) {
            return ending;
        }
        return switch (poisoned.reason()) {
            case EXPIRED -> expires(message, poisoned);
            case SHREDDED -> shreds(message, poisoned);
            default -> ending;
        };
    }

    /** Nobody can read a message any more that is about to be claimed. */
    void shreds(HandledMessage message, SubjectErasedException why) {
        Object unused = shreds(message, Ending.poisoned(PoisonReason.SHREDDED, why));
    }

    private Poisoned shreds(HandledMessage message, Poisoned ending) {
        if (!message.isShredded()) {
            message.expires(ending);
            note(message, ending.failure(), null);
        }
        return ending;
    }

    /** The deadline of a message has passed that is about to be claimed. */
    void expires(HandledMessage message) {
        MessageExpiredException why = overdue(message);
        Object unused = expires(message, Ending.poisoned(PoisonReason.EXPIRED, why));
    }

    MessageExpiredException overdue(HandledMessage message) {
        return new MessageExpiredException(Objects.requireNonNull(message.deadline()), null);
    }

    private Poisoned expires(HandledMessage message, Poisoned ending) {
        Throwable failure = ending.failure() instanceof MessageExpiredException
                ? ending.failure()
                : new MessageExpiredException(Objects.requireNonNull(message.deadline()), ending.failure());
        Poisoned expired = new Poisoned(ending.reason(), failure, ending.breaker(), ending.stored());
        if (message.expired() == null) {
            message.expires(expired);
            note(message, failure, isToldOfExpired ? Duration.ZERO : null);
        }
        return expired;
    }

    /** The notice to sagas about a message that is dropped; {@code null} if it cannot belong to one. */
    @Nullable
    OutboundMessage noticeOfDropped(HandledMessage message, PoisonReason why) {
        return poisonQueue.notice(message.delivery.message().message(), why);
    }

    /** A message that nobody can read any more is dropped. */
    void toldOfShredded(HandledMessage message, Poisoned shredded) {
        metrics.shredded(type);
        log.shredded(FailureLog.ids(message.delivery.message(), message.saga()), shredded.failure());
        events.givenUp(message.envelope(), shredded.reason(), shredded.failure());
    }

    /** What was to be done about an expired message is done. */
    void toldOfExpired(HandledMessage message, Poisoned expired, boolean isDropped) {
        metrics.expired(type, isDropped);
        log.expired(FailureLog.ids(message.delivery.message(), message.saga()), isDropped, expired.failure());
        if (isDropped) {
            events.givenUp(message.envelope(), expired.reason(), expired.failure());
        }
    }

    private Failed end(HandledMessage message, Throwable failure, TimeLeft timeLeft) {
        Failed ending = policy.end(attempt(message, failure, timeLeft));
        boolean isDecidedLater = ending instanceof Poisoned poisoned
                && (poisoned.reason() == PoisonReason.EXPIRED || poisoned.reason() == PoisonReason.SHREDDED);
        if (ending instanceof Returned returned) {
            message.comesBack(timeline.now().plus(Objects.requireNonNullElse(returned.after(), Duration.ZERO)));
        } else if (!isDecidedLater) {
            note(message, ending.failure(), ending instanceof Retried retried ? retried.after() : null);
        }
        return ending;
    }

    private void note(HandledMessage message, Throwable failure, @Nullable Duration wait) {
        Instant now = timeline.now();
        message.note(new Trail.Failure(
                now,
                instance,
                Duration.ofNanos(timeline.nanoTime() - message.begunAt()).toMillis(),
                failure.getClass().getName(),
                details.text(failure),
                wait == null ? null : now.plus(wait)));
    }

    private void tell(HandledMessage message, String again, Throwable failure) {
        boolean isFirst = !message.hasFailedBefore();
        message.noteFailure();
        log.failed(FailureLog.ids(message.delivery.message(), message.saga()), isFirst, again, failure);
    }

    private FailedAttempt attempt(HandledMessage message, Throwable failure, TimeLeft timeLeft) {
        return new FailedAttempt(
                failure,
                message.attempt(),
                message.delivery.isOpen(),
                message.handling.turn() == null ? ageLimit.of(message.envelope()) : Age.UNLIMITED,
                timeLeft,
                timeline.random().nextDouble());
    }

    /** Sends the copy that the ending needs, if the delivery is still open. */
    Settled carryOut(HandledMessage message, Ending ending) {
        if (!(ending instanceof Failed failed)) {
            return new Settled(ending, Settlement.ACKNOWLEDGE);
        }
        Thread.interrupted(); // left behind by a middleware, it would fail the copy
        Delivery delivery = message.delivery;
        if (!delivery.isOpen()) {
            // at debug level, as every message in work gets this line; the lost connection is logged once, elsewhere
            LOG.debug("The channel of message {} is gone; the broker will deliver it again", message.messageId());
            if (ending instanceof Poisoned poisoned && poisoned.stored().isStored()) {
                givenUp(
                        message,
                        poisoned); // reported now, as the next delivery finds the record poisoned and reports nothing
            }
            return new Settled(ending, Settlement.HAND_BACK);
        }
        LaneTurn turn = message.handling.turn();
        if (turn != null && (turn.isUndecided() || !(ending instanceof Poisoned))) {
            return inItsPlace(message, failed, turn);
        }
        if (ending instanceof Poisoned poisoned) {
            return giveUp(message, poisoned);
        }
        if (ending instanceof Retried retried) {
            return retryDelayed(message, retried);
        }
        Duration after = ((Returned) ending).after();
        Settlement how = after == null
                ? Settlement.HAND_BACK
                : comeBack(delivery, asReplayed(delivery, backToQueue(delivery, message.envelope(), after)));
        return new Settled(ending, how);
    }

    /** Of a message that is handled in order: no copy of it goes to the end of a queue. */
    private Settled inItsPlace(HandledMessage message, Failed ending, LaneTurn turn) {
        if (turn.isKept() && ending instanceof Retried retried) {
            tell(
                    message,
                    "delayed retry %s of %s in %s ms"
                            .formatted(
                                    message.attempt() + 1,
                                    policy.delayed().maxRetries(),
                                    retried.after().toMillis()),
                    retried.failure());
            metrics.retriedDelayed(type);
            return new Settled(ending, Settlement.ACKNOWLEDGE);
        }
        Duration after = ending instanceof Returned returned
                ? returned.after()
                : ending instanceof Retried retried ? retried.after() : StoreFailures.COMES_BACK;
        return new Settled(ending, after == null ? Settlement.HAND_BACK : Settlement.keep(atLeast(after)));
    }

    /** What waits for a moment in its place must not become a hot loop. */
    private static Duration atLeast(Duration pause) {
        return pause.compareTo(StoreFailures.SHORTEST_PAUSE) < 0 ? StoreFailures.SHORTEST_PAUSE : pause;
    }

    /** If the broker refuses the copy, the message is poisoned, although its record expects another attempt. */
    private Settled retryDelayed(HandledMessage message, Retried retried) {
        Envelope next = message.envelope().nextAttempt();
        Duration delay = retried.after();
        String again = "delayed retry %s of %s in %s ms"
                .formatted(next.attempt(), policy.delayed().maxRetries(), delay.toMillis());
        tell(message, again, retried.failure());
        Outcome outcome = mover.move(message.delivery, backToQueue(message.delivery, next, delay), NO_LIMIT);
        if (outcome == Outcome.MOVED) {
            metrics.retriedDelayed(type);
        }
        return switch (outcome) {
            case MOVED -> new Settled(retried, Settlement.ACKNOWLEDGE);
            case ENDED -> new Settled(retried, Settlement.HAND_BACK);
            case REFUSED ->
                giveUp(
                        message,
                        new Poisoned(
                                PoisonReason.RETRIES_EXHAUSTED,
                                retried.failure(),
                                retried.breaker(),
                                PoisonRecord.NONE));
        };
    }

    /**
     * Reports the message as given up, unless it is neither in the poison queue nor recorded as set aside: then it is delivered and handled
     * again.
     */
    private Settled giveUp(HandledMessage message, Poisoned poisoned) {
        Settlement how = poisonQueue.put(message.delivery, message.saga(), poisoned);
        if (how != Settlement.HAND_BACK || poisoned.stored().isStored()) {
            givenUp(message, poisoned);
        }
        return new Settled(poisoned, how);
    }

    private void givenUp(HandledMessage message, Poisoned poisoned) {
        if (!message.isOver() && poisoned.stored().by() == By.THIS_DELIVERY) {
            message.endsAs(poisoned);
            events.givenUp(message.envelope(), poisoned.reason(), poisoned.failure());
        }
    }

    /** If the broker refuses the copy, the delivery is handed back after a pause. */
    private Settlement comeBack(Delivery delivery, OutboundMessage copy) {
        Outcome outcome = mover.move(delivery, copy, NO_LIMIT);
        if (outcome == Outcome.REFUSED) {
            mover.pause();
        }
        return outcome == Outcome.MOVED ? Settlement.ACKNOWLEDGE : Settlement.HAND_BACK;
    }

    /** The copy of a replay has no deadline, so that its retries have none either. */
    private OutboundMessage backToQueue(Delivery delivery, Envelope envelope, Duration delay) {
        IncomingMessage delivered = delivery.message();
        WireMessage copy = envelope.toCopyOf(delivered.message());
        boolean isReplay = delivered.message().headers().containsKey(Headers.POISONED_AT);
        return new OutboundMessage(
                isReplay ? copy.withHeaders(Headers.withoutDeadline(copy.headers())) : copy,
                new Route.ToQueue(address),
                delay);
    }

    /** A replay that comes back without being handled must still count as a replay. */
    private static OutboundMessage asReplayed(Delivery delivery, OutboundMessage copy) {
        Map<String, Object> delivered = delivery.message().message().headers();
        if (!(delivered.get(Headers.POISONED_AT) instanceof Number poisonedAt)) {
            return copy;
        }
        Map<String, Object> headers = new LinkedHashMap<>(copy.message().headers());
        headers.put(Headers.POISONED_AT, poisonedAt.longValue());
        if (delivered.get(Headers.POISON_VERSION) instanceof Number version) {
            headers.put(Headers.POISON_VERSION, version.longValue());
        }
        return new OutboundMessage(copy.message().withHeaders(headers), copy.route(), copy.delay());
    }
}
