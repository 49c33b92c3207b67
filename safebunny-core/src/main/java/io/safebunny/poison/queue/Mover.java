// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.failure.details.Printable;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.time.Timeline;
import io.safebunny.topology.QueueType;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the copy of a message elsewhere until it is confirmed. Meanwhile the delivery is held, which holds back new ones and shows in
 * {@link HeldDeliveries}. Thread-safe.
 */
public final class Mover {

    private static final Logger LOG = LoggerFactory.getLogger(Mover.class);
    private static final int NEVER = 0;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final ConfirmedSender sender;
    private final Timeline timeline;
    private final HeldDeliveries held;
    private final BoundedLog log;
    /** Whether moving may be given up, because the broker can set the message aside without loss; otherwise it is tried for ever. */
    private final boolean mayGiveUp;

    private final Subject poisonUnconfirmed;
    private final Subject returnUnconfirmed;
    private final Subject noticeUnconfirmed;
    private final Subject notTaken;

    /** @param queue from which messages are moved */
    public Mover(Node node, HeldDeliveries held, String queue) {
        this.sender = node.sender();
        this.timeline = node.timeline();
        this.held = held;
        this.log = node.log();
        this.mayGiveUp = node.options().topology().queueType() == QueueType.QUORUM;
        this.poisonUnconfirmed = Subject.warn(LOG, "Poison copies of queue '%s' are not confirmed".formatted(queue));
        this.returnUnconfirmed =
                Subject.warn(LOG, "Copies from queue '%s' to a queue of this node are not confirmed".formatted(queue));
        this.noticeUnconfirmed =
                Subject.warn(LOG, "Notices of what queue '%s' sets aside are not confirmed".formatted(queue));
        this.notTaken =
                Subject.error(LOG, "The broker does not take copies of messages of queue '%s'".formatted(queue));
    }

    public enum Outcome {
        /** The copy is confirmed, so the original may be removed. */
        MOVED,
        /** The delivery is closed, or its thread was interrupted. */
        ENDED,
        /** The broker refuses the copy. */
        REFUSED
    }

    /**
     * @param refusals after how many refusals to give up. A refusal that is final, because the copy is too large, ends it at once
     * @throws RuntimeException if the copy, as it is, can never be sent
     */
    public Outcome move(Delivery delivery, OutboundMessage copy, int refusals) {
        return tryAndRelease(delivery, copy, mayGiveUp ? refusals : NEVER);
    }

    /** Sends a notice about a message. Never gives up, because nobody else would send the notice. */
    Outcome tell(Delivery delivery, OutboundMessage notice) {
        return tryAndRelease(delivery, notice, NEVER);
    }

    private Outcome tryAndRelease(Delivery delivery, OutboundMessage copy, int refusals) {
        try {
            return tryOnAndOn(delivery, copy, refusals);
        } finally {
            held.release(delivery);
        }
    }

    private Outcome tryOnAndOn(Delivery delivery, OutboundMessage copy, int refusals) {
        Subject unconfirmed = unconfirmed(copy.route());
        Duration pause = FIRST_PAUSE;
        int refused = 0;
        while (delivery.isOpen()) {
            try {
                sender.send(copy).await();
                log.works(unconfirmed);
                return Outcome.MOVED;
            } catch (PublishException
                    | ConfigurationException e) { // the latter is for an operator to correct, not the message's fault
                refused += isRefusal(e) ? 1 : 0;
                if (refusals != NEVER && (refused >= refusals || isFinal(e))) {
                    log.tell(
                            notTaken,
                            copy.publication().toString(),
                            () -> LOG.error("The broker does not take {}: {}", copy.publication(), text(e)));
                    return Outcome.REFUSED;
                }
                held.hold(delivery, text(e));
                log.fails(
                        unconfirmed,
                        copy.publication().toString(),
                        e.code(),
                        () -> LOG.warn(
                                "Holding deliveries of queue {} until their copies are confirmed, the first one {}: {}",
                                delivery.message().queue(),
                                copy.publication(),
                                text(e)));
            }
            if (!sleep(pause)) {
                return Outcome.ENDED;
            }
            pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
        return Outcome.ENDED;
    }

    private Subject unconfirmed(Route route) {
        if (route instanceof Route.Poison) {
            return poisonUnconfirmed;
        }
        return route instanceof Route.ToSubscribers ? noticeUnconfirmed : returnUnconfirmed;
    }

    /** Whether the broker has refused the message. A timeout or a lost connection says nothing about the message. */
    private static boolean isRefusal(SafeBunnyException e) {
        return e instanceof NackedException || e instanceof UnroutableException || e instanceof ConfigurationException;
    }

    private static boolean isFinal(SafeBunnyException e) {
        return e instanceof NackedException nacked && nacked.isTooLarge();
    }

    private static String text(Exception e) {
        return Names.printable(String.valueOf(Printable.of(e).getMessage()), 1_000);
    }

    /** Waits long enough to keep a retry from becoming a hot loop. */
    public void pause() {
        boolean unused = sleep(LONGEST_PAUSE);
    }

    /** @return false when interrupted */
    private boolean sleep(Duration duration) {
        try {
            timeline.sleep(duration);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
