// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.consuming.Mover.Outcome;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.recovery.FailedAttempt;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.Recovery;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.recovery.RecoveryAction.ComeBack;
import io.safebunny.recovery.RecoveryAction.Poison;
import io.safebunny.recovery.RecoveryAction.RetryDelayed;
import io.safebunny.recovery.RecoveryAction.RetryNow;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the {@link RecoveryPolicy} decide, once for each delivery, and carries that out. The copy that goes elsewhere is confirmed before
 * the original may be acknowledged. Thread-safe.
 */
final class Recoverer {

    private static final Logger LOG = LoggerFactory.getLogger(Recoverer.class);

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private final RecoveryPolicy policy;
    private final AgeLimit ageLimit;
    private final RandomGenerator random;
    private final String type;
    private final Mover mover;
    private final PoisonQueue poisonQueue;
    private final FailureLog log;
    private final Metrics metrics;
    private final Events events;

    /** @param type of the handled messages, for the metrics */
    Recoverer(
            ConsumePipelineFactory parts,
            String type,
            RecoveryPolicy policy,
            Mover mover,
            PoisonQueue poisonQueue,
            FailureLog log) {
        this.policy = policy;
        this.ageLimit = parts.ageLimit();
        this.random = parts.random();
        this.type = type;
        this.mover = mover;
        this.poisonQueue = poisonQueue;
        this.log = log;
        this.metrics = parts.metrics();
        this.events = parts.events();
    }

    /**
     * After a run of the handler that failed.
     *
     * @param retries of it in this delivery so far
     * @return {@code null} unless it is run again in this delivery
     */
    @Nullable
    RetryNow again(HandledMessage message, Throwable failure, int retries) {
        return decide(message, failure, retries).action() instanceof RetryNow again ? again : null;
    }

    /** After the handling failed: what was decided the first time that this was asked. */
    Recovery decide(HandledMessage message, Throwable failure) {
        Recovery known = message.recovery();
        if (known == null) {
            known = decide(message, failure, FailedAttempt.NO_MORE);
            message.recoversBy(known);
        }
        return known;
    }

    /** Another delivery has the message, so that what was decided for this one is not carried out. */
    void supersede(HandledMessage message, NotHandledException by) {
        message.recoversBy(Recovery.superseded(by));
    }

    private Recovery decide(HandledMessage message, Throwable failure, int retries) {
        return policy.decide(new FailedAttempt(
                failure,
                retries,
                message.attempt(),
                message.delivery.isOpen(),
                ageLimit.of(message.envelope()),
                random.nextDouble()));
    }

    /** Carries out what was decided, as far as the delivery and the broker let it. */
    Settlement recover(HandledMessage message, Throwable failure) {
        Delivery delivery = message.delivery;
        if (!delivery.isOpen()) {
            // one for each message in work: that the connection is lost is told elsewhere
            LOG.debug("The channel of message {} is gone; the broker will deliver it again", message.messageId());
            endedUnlessItComesBack(message, failure);
            return Settlement.HAND_BACK;
        }
        Recovery recovery = decide(message, failure);
        RecoveryAction action = recovery.action();
        if (action instanceof Poison poison) {
            return giveUp(message, message.setAside(), poison.reason(), recovery.failure());
        }
        if (action instanceof RetryDelayed retry) {
            return retryDelayed(message, retry.delay(), recovery.failure());
        }
        if (action instanceof ComeBack comeBack) {
            return comeBack(
                    delivery, asReplayed(delivery, backToQueue(delivery, message.envelope(), comeBack.delay())));
        }
        return Settlement.HAND_BACK; // a redelivery
    }

    /** A message that cannot even be sent back is poisoned, though its record expects another attempt. */
    private Settlement retryDelayed(HandledMessage message, Duration delay, Throwable failure) {
        Envelope next = message.envelope().nextAttempt();
        String again = "delayed retry %s of %s in %s ms"
                .formatted(next.attempt(), policy.delayed().maxRetries(), delay.toMillis());
        log.failed(message, again, failure);
        Outcome outcome = mover.move(message.delivery, backToQueue(message.delivery, next, delay), NO_LIMIT);
        if (outcome == Outcome.MOVED) {
            metrics.retriedDelayed(type);
        }
        return switch (outcome) {
            case MOVED -> Settlement.ACKNOWLEDGE;
            case ENDED -> Settlement.HAND_BACK;
            case REFUSED -> giveUp(message, message.delivery.message(), PoisonReason.RETRIES_EXHAUSTED, failure);
        };
    }

    /**
     * Without an end in the poison queue, and without a record of it, the message is delivered and handled again; so it is not given up then.
     *
     * @param copied the delivered message, as its poison copy shall describe it
     */
    private Settlement giveUp(HandledMessage message, IncomingMessage copied, PoisonReason reason, Throwable failure) {
        Settlement end = poisonQueue.put(message, copied, reason, failure);
        if (end != Settlement.HAND_BACK || isRecordedAsPoison(message)) {
            ended(message, reason, failure);
        }
        return end;
    }

    private static boolean isRecordedAsPoison(HandledMessage message) {
        return message.handling.poisonVersion() != 0;
    }

    /** Its record says that it is set aside, so the delivery that comes next finds it ended, and tells nobody. */
    private void endedUnlessItComesBack(HandledMessage message, Throwable failure) {
        if (!isRecordedAsPoison(message)) {
            return;
        }
        Recovery known = message.recovery();
        if (known != null && known.action() instanceof Poison poison) {
            ended(message, poison.reason(), known.failure());
        } else if (failure instanceof InvalidMessageException claimSetAside) {
            ended(message, claimSetAside.reason(), claimSetAside);
        }
    }

    private void ended(HandledMessage message, PoisonReason reason, Throwable failure) {
        if (!message.isOver() && !message.handling.isSetAsideByAnother()) {
            message.givenUp(failure);
            events.givenUp(message.envelope(), reason, failure);
        }
    }

    /** What cannot even be sent back stays at its place, which is tried again slowly. */
    private Settlement comeBack(Delivery delivery, OutboundMessage copy) {
        Outcome outcome = mover.move(delivery, copy, NO_LIMIT);
        if (outcome == Outcome.REFUSED) {
            mover.pause();
        }
        return outcome == Outcome.MOVED ? Settlement.ACKNOWLEDGE : Settlement.HAND_BACK;
    }

    private static OutboundMessage backToQueue(Delivery delivery, Envelope envelope, Duration delay) {
        IncomingMessage delivered = delivery.message();
        return new OutboundMessage(envelope.toCopyOf(delivered.message()), new Route.ToQueue(delivered.queue()), delay);
    }

    /** A replay whose handling was not begun must still count as one when it comes back. */
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
