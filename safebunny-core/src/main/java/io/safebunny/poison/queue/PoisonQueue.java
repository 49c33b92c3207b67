// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.message.Headers;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.poison.queue.Mover.Outcome;
import io.safebunny.recovery.Ending.Poisoned;
import io.safebunny.recovery.PoisonRecord.By;
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
 * Where messages end that are not handled, whoever decided that: every one passes here. The copy is confirmed before the original may be
 * acknowledged; a copy that the broker goes on refusing is given up, and the broker moves the message itself. Thread-safe.
 */
public final class PoisonQueue {

    private static final Logger LOG = LoggerFactory.getLogger(PoisonQueue.class);

    /** Of a copy, until it is given up: half a minute. */
    private static final int REFUSALS = 8;

    private final String node;
    private final String type;
    private final Mover mover;
    private final FailureLog failures;
    private final BoundedLog log;
    private final Subject bare;
    private final Timeline timeline;
    private final Metrics metrics;
    private final Events events;

    /**
     * @param queue of the delivered messages
     * @param type of them, for the metrics
     */
    public PoisonQueue(Node node, String queue, String type, Mover mover, FailureLog failures) {
        this.node = node.name();
        this.type = type;
        this.mover = mover;
        this.failures = failures;
        this.log = node.log();
        this.bare = Subject.error(
                LOG, "Poison copies of queue %s cannot be sent with all their properties".formatted(queue));
        this.timeline = node.timeline();
        this.metrics = node.metrics();
        this.events = node.events();
    }

    /** A delivery that no handler was given: it is no message, or SafeBunny itself failed. */
    public Settlement putUnhandled(Delivery delivery, PoisonReason reason, Throwable failure) {
        Settlement end = put(delivery, delivery.message(), reason, failure);
        if (end != Settlement.HAND_BACK) { // otherwise it is delivered again, and told then
            events.givenUpUnhandled(delivery.message().message(), reason, failure);
        }
        return end;
    }

    /** @param message the delivered one, as its poison copy shall describe it */
    Settlement put(Delivery delivery, IncomingMessage message, PoisonReason reason, Throwable failure) {
        return put(delivery, message, FailureLog.ids(message, null), reason, failure, true);
    }

    /**
     * A message that is given up. Sagas are not told if it was edited: what they wait for is not this copy.
     *
     * @param saga that it belongs to, unless that is its correlation id
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

    /** @param version of the record, if that says that the message is set aside */
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
            outcome = move(
                    delivery,
                    PoisonCopies.of(message, reason, failure, log.details().of(failure), timeline.now()));
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

    /** Before the original is settled, so that a crash in between repeats both. */
    private Outcome tellSagas(Delivery delivery, WireMessage message, PoisonReason reason) {
        WireMessage notice = PoisonCopies.notice(node, message, reason, timeline.now());
        return notice == null
                ? Outcome.MOVED
                : mover.tell(
                        delivery,
                        new OutboundMessage(notice, new Route.ToSubscribers(Topology.setAsideOf(node)), Duration.ZERO)
                                .withDroppedIfUnheard(true));
    }

    private Outcome move(Delivery delivery, WireMessage copy) {
        return mover.move(delivery, new OutboundMessage(copy, new Route.Poison(node), Duration.ZERO), REFUSALS);
    }

    /**
     * The end of the message, known once: either its copy is in the poison queue, or it was given up and the broker moves it there. Without
     * an end of it, it is delivered again, and ends another time.
     */
    private Settlement end(Outcome outcome, PoisonReason reason) {
        if (outcome == Outcome.ENDED) {
            return Settlement.HAND_BACK;
        }
        metrics.poisoned(type, reason);
        return outcome == Outcome.MOVED ? Settlement.ACKNOWLEDGE : Settlement.REJECT;
    }

    /** Waits as long as it takes to not be a hot loop. */
    public void pause() {
        mover.pause();
    }
}
