// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.PublishException;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.recovery.RecoveryAction.ComeBack;
import io.safebunny.recovery.RecoveryAction.Poison;
import io.safebunny.recovery.RecoveryAction.RetryDelayed;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what {@link RecoveryPolicy} decided. The copy that goes elsewhere is confirmed before the original may be
 * acknowledged; as long as it cannot be confirmed the delivery is held, which holds back new ones. Thread-safe.
 */
final class Recoverer {

    private static final Logger LOG = LoggerFactory.getLogger(Recoverer.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final String node;
    private final String type;
    private final RecoveryPolicy policy;
    private final ConfirmedSender sender;
    private final Timeline timeline;
    private final RandomGenerator random;
    private final Metrics metrics;

    Recoverer(
            String node,
            String type,
            RecoveryPolicy policy,
            ConfirmedSender sender,
            Timeline timeline,
            RandomGenerator random,
            Metrics metrics) {
        this.node = node;
        this.type = type;
        this.policy = policy;
        this.sender = sender;
        this.timeline = timeline;
        this.random = random;
        this.metrics = metrics;
    }

    /**
     * What becomes of the message. What fails while the delivery is the broker's again was perhaps failed by just that (a handler is
     * interrupted when the grace of a stop is over): it is delivered again as it was.
     */
    RecoveryAction decide(Delivery delivery, Envelope envelope, Throwable failure) {
        return delivery.isOpen()
                ? policy.decide(failure, envelope.attempt(), random.nextDouble())
                : new ComeBack(Duration.ZERO);
    }

    /** @return whether the delivery may be acknowledged */
    boolean recover(Delivery delivery, Envelope envelope, Throwable failure) {
        if (!delivery.isOpen()) {
            LOG.info("The channel of message {} is gone; the broker will deliver it again", envelope.id());
            return false;
        }
        RecoveryAction action = decide(delivery, envelope, failure);
        if (action instanceof Poison poison) {
            return poison(delivery, poison.reason(), failure);
        }
        if (action instanceof RetryDelayed retry) {
            LOG.warn(
                    "Message {} of queue {} failed; delayed retry {} of {} in {} ms: {}",
                    envelope.id(),
                    delivery.message().queue(),
                    envelope.attempt() + 1,
                    policy.delayed().maxRetries(),
                    retry.delay().toMillis(),
                    failure.toString());
            LOG.debug("Message {} failed with", envelope.id(), failure);
            boolean moved = move(delivery, backToQueue(delivery, envelope.nextAttempt(), retry.delay()));
            if (moved) {
                metrics.retriedDelayed(type);
            }
            return moved;
        }
        return move(delivery, asReplayed(delivery, backToQueue(delivery, envelope, ((ComeBack) action).delay())));
    }

    private static OutboundMessage backToQueue(Delivery delivery, Envelope envelope, Duration delay) {
        return new OutboundMessage(
                envelope.toWire(), new Route.ToQueue(delivery.message().queue()), delay);
    }

    /** A replay that was not begun must still be known for one when it comes back. */
    private static OutboundMessage asReplayed(Delivery delivery, OutboundMessage copy) {
        Object poisonedAt = delivery.message().message().headers().get(Headers.POISONED_AT);
        if (poisonedAt == null) {
            return copy;
        }
        Map<String, Object> headers = new LinkedHashMap<>(copy.message().headers());
        headers.put(Headers.POISONED_AT, poisonedAt);
        return new OutboundMessage(copy.message().withHeaders(headers), copy.route(), copy.delay());
    }

    /** @return whether the delivery may be acknowledged */
    boolean poison(Delivery delivery, PoisonReason reason, Throwable failure) {
        return poison(delivery, delivery.message(), reason, failure);
    }

    /** @param message the delivered one, as its poison copy shall describe it */
    boolean poison(Delivery delivery, IncomingMessage message, PoisonReason reason, Throwable failure) {
        LOG.error("Message goes to {}-poison [reason={}, {}]", node, reason.wireName(), message.message(), failure);
        boolean moved;
        try {
            moved = move(delivery, toPoison(PoisonMessages.of(message, reason, failure, timeline.now())));
        } catch (RuntimeException e) {
            LOG.error("The poison copy cannot be sent with all its properties; sending the bare body", e);
            moved = move(delivery, toPoison(PoisonMessages.bare(message, reason, timeline.now())));
        }
        if (moved) {
            metrics.poisoned(type, reason);
        }
        return moved;
    }

    private OutboundMessage toPoison(WireMessage message) {
        return new OutboundMessage(message, new Route.Poison(node), Duration.ZERO);
    }

    /** Waits as long as it takes to not be a hot loop. */
    void pause() {
        try {
            timeline.sleep(LONGEST_PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @throws RuntimeException when the copy can never be sent, as it is */
    private boolean move(Delivery delivery, OutboundMessage copy) {
        Duration pause = FIRST_PAUSE;
        while (delivery.isOpen()) {
            try {
                sender.sendAndWait(copy);
                return true;
            } catch (PublishException
                    | ConfigurationException e) { // the latter is an operator's to mend, not the message's fault
                LOG.warn("Holding a delivery until its copy is confirmed; next try in {} ms", pause.toMillis(), e);
            }
            try {
                timeline.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
        return false;
    }
}
