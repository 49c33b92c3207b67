// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.consuming.Mover.Outcome;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.observation.Metrics;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.recovery.RecoveryAction.ComeBack;
import io.safebunny.recovery.RecoveryAction.Poison;
import io.safebunny.recovery.RecoveryAction.RetryDelayed;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.IncomingMessage;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what {@link RecoveryPolicy} decided. The copy that goes elsewhere is confirmed before the original may be
 * acknowledged. A poison copy that the broker goes on refusing is given up, and the broker moves the message itself. Thread-safe.
 */
final class Recoverer {

    private static final Logger LOG = LoggerFactory.getLogger(Recoverer.class);

    /** Of a poison copy: half a minute. */
    private static final int REFUSALS = 8;

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private final String node;
    private final String type;
    private final RecoveryPolicy policy;
    private final FailureLog log;
    private final BoundedLog bounded;
    private final Kind bare;
    private final AgeLimit ageLimit;
    private final Mover mover;
    private final Timeline timeline;
    private final RandomGenerator random;
    private final Metrics metrics;

    /**
     * @param queue of the handled messages
     * @param type of them, for the metrics
     */
    Recoverer(ConsumePipelineFactory parts, String queue, String type, RecoveryPolicy policy, FailureLog log) {
        this.node = parts.options().node();
        this.type = type;
        this.policy = policy;
        this.log = log;
        this.ageLimit = parts.ageLimit();
        this.mover = new Mover(parts, queue);
        this.bounded = parts.log();
        this.bare =
                Kind.error(LOG, "Poison copies of queue %s cannot be sent with all their properties".formatted(queue));
        this.timeline = parts.timeline();
        this.random = parts.random();
        this.metrics = parts.metrics();
    }

    /**
     * What becomes of the message. What fails while the delivery is the broker's again was perhaps failed by just that (a handler is
     * interrupted when the grace of a stop is over): it is delivered again as it was.
     */
    RecoveryAction decide(Delivery delivery, Envelope envelope, Throwable failure) {
        return delivery.isOpen()
                ? policy.decide(ageLimit.inTime(envelope, failure), envelope.attempt(), random.nextDouble())
                : new ComeBack(Duration.ZERO);
    }

    Settlement recover(HandledMessage message, Throwable failure) {
        Delivery delivery = message.delivery;
        Envelope envelope = message.envelope();
        if (!delivery.isOpen()) {
            // one for each message in work: that the connection is lost is told elsewhere
            LOG.debug("The channel of message {} is gone; the broker will deliver it again", envelope.id());
            return Settlement.HAND_BACK;
        }
        RecoveryAction action = decide(delivery, envelope, failure);
        if (action instanceof Poison poison) {
            return poison(delivery, message.setAside(), poison.reason(), ageLimit.inTime(envelope, failure));
        }
        if (action instanceof RetryDelayed retry) {
            return retryDelayed(message, retry.delay(), failure);
        }
        return comeBack(delivery, asReplayed(delivery, backToQueue(delivery, envelope, ((ComeBack) action).delay())));
    }

    private Settlement retryDelayed(HandledMessage message, Duration delay, Throwable failure) {
        Envelope next = message.envelope().nextAttempt();
        String again = "delayed retry %d of %d in %d ms"
                .formatted(next.attempt(), policy.delayed().maxRetries(), delay.toMillis());
        log.failed(message, again, failure);
        Outcome outcome = mover.move(message.delivery, backToQueue(message.delivery, next, delay), NO_LIMIT);
        if (outcome == Outcome.MOVED) {
            metrics.retriedDelayed(type);
        }
        return switch (outcome) {
            case MOVED -> Settlement.ACKNOWLEDGE;
            case ENDED -> Settlement.HAND_BACK;
            case REFUSED -> poison(message.delivery, PoisonReason.RETRIES_EXHAUSTED, failure);
        };
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
        return new OutboundMessage(
                envelope.toWire(), new Route.ToQueue(delivery.message().queue()), delay);
    }

    /** A replay that was not begun must still be known for one when it comes back. */
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

    Settlement poison(Delivery delivery, PoisonReason reason, Throwable failure) {
        return poison(delivery, delivery.message(), reason, failure);
    }

    /** @param message the delivered one, as its poison copy shall describe it */
    Settlement poison(Delivery delivery, IncomingMessage message, PoisonReason reason, Throwable failure) {
        log.poisoned(message.message(), reason, failure);
        Outcome outcome;
        try {
            outcome = toPoison(
                    delivery, PoisonMessages.of(message, reason, failure, bounded.tellable(failure), timeline.now()));
        } catch (RuntimeException e) {
            bounded.tell(
                    bare,
                    message.message().toString(),
                    () -> LOG.error(
                            "The poison copy cannot be sent with all its properties; sending the bare body",
                            bounded.tellable(e)));
            outcome = toPoison(delivery, PoisonMessages.bare(message, reason, timeline.now()));
        }
        if (outcome != Outcome.ENDED) {
            metrics.poisoned(type, reason);
        }
        return switch (outcome) {
            case MOVED -> Settlement.ACKNOWLEDGE;
            case ENDED -> Settlement.HAND_BACK;
            case REFUSED -> Settlement.REJECT;
        };
    }

    private Outcome toPoison(Delivery delivery, WireMessage copy) {
        return mover.move(delivery, new OutboundMessage(copy, new Route.Poison(node), Duration.ZERO), REFUSALS);
    }

    /** Waits as long as it takes to not be a hot loop. */
    void pause() {
        mover.pause();
    }
}
