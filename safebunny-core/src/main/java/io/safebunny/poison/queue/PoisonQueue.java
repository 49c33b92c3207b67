// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.PoisonRecord.By;
import io.safebunny.message.Headers;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.Events;
import io.safebunny.observation.FailureDetails;
import io.safebunny.observation.Metrics;
import io.safebunny.poison.queue.Mover.Outcome;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts messages into the poison queue: every message that is set aside, for whatever reason, passes through here. The copy is confirmed
 * before the original is acknowledged. If the broker keeps refusing the copy, the copy is given up, and the broker moves the message
 * itself. Thread-safe.
 */
public final class PoisonQueue {

    private static final Logger LOG = LoggerFactory.getLogger(PoisonQueue.class);

    /** Number of refusals after which a copy is given up: about half a minute. */
    private static final int REFUSALS = 8;

    private final String node;
    private final String type;
    private final FailureDetails details;
    private final Mover mover;
    private final FailureLog failures;
    private final BoundedLog log;
    private final Subject bare;
    private final Timeline timeline;
    private final Metrics metrics;
    private final Events events;

    /**
     * @param queue the queue of the delivered messages
     * @param details how much a copy tells of a failure
     * @param type the type of the messages, for the metrics
     */
    public PoisonQueue(Node node, String queue, String type, FailureDetails details, Mover mover, FailureLog failures) {
        this.node = node.name();
        this.type = type;
        this.details = details;
        this.mover = mover;
        this.failures = failures;
        this.log = node.log();
        this.bare = Subject.error(
                LOG, "Poison copies of queue %s cannot be sent with all their properties".formatted(queue));
        this.timeline = node.timeline();
        this.metrics = node.metrics();
        this.events = node.events();
    }

    /** Sets aside a delivery that was not passed to a handler, because it is not a valid message or SafeBunny itself failed. */
    public Settlement putUnhandled(Delivery delivery, PoisonReason reason, Throwable failure) {
        Settlement end = put(delivery, delivery.message(), reason, failure);
        if (end != Settlement.HAND_BACK) { // if handed back, it is delivered again, and reported then
            events.givenUpUnhandled(delivery.message().message(), reason, failure);
        }
        return end;
    }

    /** @param message the delivered message, as its poison copy is to describe it */
    Settlement put(Delivery delivery, IncomingMessage message, PoisonReason reason, Throwable failure) {
        return put(delivery, message, FailureLog.ids(message, null), reason, failure, true);
    }

    /**
     * Sets aside a message that is given up. Sagas are not notified if the message was edited, because they do not wait for this copy.
     *
     * @param saga id of the message's saga, unless it is the correlation id
     */
    public Settlement put(Delivery delivery, @Nullable String saga, Poisoned poisoned) {
        IncomingMessage copied =
                withVersion(delivery.message(), poisoned.stored().version());
        return put(
                delivery,
                copied,
                FailureLog.ids(copied, saga),
                poisoned.reason(),
                poisoned.failure(),
                poisoned.stored().by() != By.ITS_EDITOR);
    }

    /** @param version version of the record, if the record says that the message is set aside; otherwise 0 */
    private static IncomingMessage withVersion(IncomingMessage delivered, long version) {
        if (version == 0) {
            return delivered;
        }
        Map<String, Object> headers = new LinkedHashMap<>(delivered.message().headers());
        headers.put(Headers.POISON_VERSION, version);
        return delivered.withHeaders(headers);
    }

    private Settlement put(
            Delivery delivery,
            IncomingMessage message,
            String ids,
            PoisonReason reason,
            Throwable failure,
            boolean isTold) {
        failures.poisoned(ids, reason, failure);
        Outcome outcome;
        try {
            outcome = move(delivery, PoisonCopies.of(message, reason, failure, details.shown(failure), timeline.now()));
        } catch (RuntimeException e) {
            log.tell(
                    bare,
                    message.message().toString(),
                    () -> LOG.error(
                            "The poison copy cannot be sent with all its properties; sending the bare body",
                            log.tellable(e)));
            outcome = move(delivery, PoisonCopies.bare(message, reason, timeline.now()));
        }
        if (isTold && outcome != Outcome.ENDED && tellSagas(delivery, message.message(), reason) == Outcome.ENDED) {
            return end(Outcome.ENDED, reason);
        }
        if (outcome == Outcome.MOVED) {
            events.poisoned(message.queue(), message.message(), reason, failure);
        }
        return end(outcome, reason);
    }

    /** Notifies sagas. Called before the original is settled, so that a crash in between repeats both. */
    private Outcome tellSagas(Delivery delivery, WireMessage message, PoisonReason reason) {
        OutboundMessage notice = notice(message, reason);
        return notice == null ? Outcome.MOVED : mover.tell(delivery, notice);
    }

    /** The notice to nodes with sagas that a message is set aside or dropped; {@code null} if it cannot belong to a saga. */
    public @Nullable OutboundMessage notice(WireMessage message, PoisonReason reason) {
        WireMessage notice = PoisonCopies.notice(node, message, reason, timeline.now());
        return notice == null
                ? null
                : new OutboundMessage(notice, new Route.ToSubscribers(Topology.setAsideOf(node)), Duration.ZERO)
                        .withDroppedIfUnheard(true);
    }

    private Outcome move(Delivery delivery, WireMessage copy) {
        return mover.move(delivery, new OutboundMessage(copy, new Route.Poison(node), Duration.ZERO), REFUSALS);
    }

    /**
     * How to settle the original. Counts the message if this is final: either its copy is in the poison queue, or the copy was given up and
     * the broker moves the message there. Otherwise the message is delivered again, and counted then.
     */
    private Settlement end(Outcome outcome, PoisonReason reason) {
        if (outcome == Outcome.ENDED) {
            return Settlement.HAND_BACK;
        }
        metrics.poisoned(type, reason);
        return outcome == Outcome.MOVED ? Settlement.ACKNOWLEDGE : Settlement.REJECT;
    }

    /** Waits long enough to keep a retry from becoming a hot loop. */
    public void pause() {
        mover.pause();
    }
}
