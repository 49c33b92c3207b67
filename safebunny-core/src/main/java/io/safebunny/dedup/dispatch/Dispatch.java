// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.BunnyUndone;
import io.safebunny.message.Headers;
import io.safebunny.message.MessageTypes;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the publications of a completed message in order, and stops at the first that cannot be sent. That one and those after it
 * stay in the record; the confirmed ones before it are removed, so that they are not sent again. Thread-safe.
 */
final class Dispatch {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatch.class);
    private static final Subject UNHEARD =
            Subject.warn(LOG, "Acknowledgements of undos are dropped, because nobody is bound for them");
    private static final String UNDONE = MessageTypes.nameOf(BunnyUndone.class);

    private static final int NACKS = 3;
    private static final Duration BETWEEN_NACKS = Duration.ofMillis(500);

    private final MessageStore store;
    private final ConfirmedSender sender;
    private final Timeline timeline;
    private final Marks marks;
    private final WaitingRecords waiting;
    private final DedupLog log;
    /** How long an acknowledgement waits for somebody to listen to it: whether an older step was handled is not known to its undo. */
    private final Duration mostWaiting;

    Dispatch(Node node, Marks marks, WaitingRecords waiting, DedupLog log) {
        this.store = node.requireStore();
        this.sender = node.sender();
        this.timeline = node.timeline();
        this.marks = marks;
        this.waiting = waiting;
        this.log = log;
        this.mostWaiting = node.options().retention();
    }

    /** Where a publication goes. A problem there affects all publications with the same target. */
    record Target(Route route, boolean delayed) {

        static Target of(OutboundMessage message) {
            return new Target(message.route(), !message.delay().isZero());
        }
    }

    /**
     * Where a dispatch stopped.
     *
     * @param record the record with the publications still to be sent
     * @param at the first of them
     * @param failure {@code null} if it was not tried because its target is avoided
     */
    record Stop(
            MessageRecord record,
            OutboundMessage at,
            @Nullable RuntimeException failure) {

        /** No confirm arrived: the broker may or may not have the message, and the next one would probably wait as long. */
        boolean isUnconfirmed() {
            return failure instanceof PublishTimeoutException || failure instanceof ConnectionLostException;
        }

        /** Whether no target can be reached, not only this one. */
        boolean concernsAll() {
            return failure instanceof ConnectionLostException || isInterrupted();
        }

        /** Whether the wait was interrupted, so that the broker is not to blame. */
        boolean isInterrupted() {
            return failure instanceof PublishTimeoutException timeout && timeout.isInterrupted();
        }
    }

    /**
     * For a message that has just been handled. Retries a nack for about a second, because a queue may be in the middle of
     * electing a leader.
     *
     * @return {@code null} when all are confirmed
     */
    @Nullable
    Stop send(MessageRecord completed) {
        return send(completed, target -> false, NACKS);
    }

    /** Tries once, for publications that have waited already. */
    @Nullable
    Stop sendOnce(MessageRecord completed) {
        return send(completed, target -> false, 1);
    }

    /**
     * Tries once, up to the first publication to an avoided target.
     *
     * @param avoided targets that are not tried
     * @return {@code null} when all are confirmed
     */
    @Nullable
    Stop sendOnce(MessageRecord completed, Predicate<Target> avoided) {
        return send(completed, avoided, 1);
    }

    private @Nullable Stop send(MessageRecord completed, Predicate<Target> avoided, int tries) {
        List<OutboundMessage> outgoing = completed.outgoing();
        for (int sent = 0; sent < outgoing.size(); sent++) {
            OutboundMessage message = outgoing.get(sent);
            boolean avoids = avoided.test(Target.of(message));
            RuntimeException failure = avoids ? null : failureOf(message, tries);
            if (!avoids) {
                message.ended(failure == null ? PublishOutcome.CONFIRMED : PublishOutcome.STORED, failure);
            }
            if (avoids || failure != null) {
                return stopped(new Stop(rest(completed, sent), message, failure));
            }
        }
        waiting.remove(completed.key());
        marks.add(completed);
        return null;
    }

    /** An unconfirmed publication is not reported as waiting: nobody has to act, since its message or the sweeper comes back. */
    private Stop stopped(Stop stop) {
        if (!stop.isUnconfirmed()) {
            waiting.add(stop);
        }
        return stop;
    }

    private @Nullable RuntimeException failureOf(OutboundMessage message, int tries) {
        for (int tried = 1; ; tried++) {
            try {
                sender.sendTraced(message).await();
                log.confirmed();
                return null;
            } catch (NackedException e) {
                if (tried == tries || !hasPaused()) {
                    return e;
                }
            } catch (UnroutableException e) {
                return hasWaitedLongEnough(message) ? null : e;
            } catch (RuntimeException e) {
                return e;
            }
        }
    }

    /** Whoever writes an undo decides to whom it is acknowledged, which may be nobody: that must not stay in the store for ever. */
    private boolean hasWaitedLongEnough(OutboundMessage message) {
        boolean isForgotten = UNDONE.equals(message.message().type())
                && message.message().headers().get(Headers.SENT_AT) instanceof Number sentAt
                && timeline.now().minus(mostWaiting).toEpochMilli() > sentAt.longValue();
        if (isForgotten) {
            log.tell(
                    UNHEARD,
                    message.publication().toString(),
                    () -> LOG.warn(
                            "Acknowledgement {} of an undo is dropped: nobody has been bound for it for {}",
                            message.publication(),
                            mostWaiting));
        }
        return isForgotten;
    }

    private boolean hasPaused() {
        try {
            timeline.sleep(BETWEEN_NACKS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Removes the sent publications from the record, unless another instance has taken it by now. If the write fails, they are
     * sent once more.
     */
    private MessageRecord rest(MessageRecord completed, int sent) {
        if (sent == 0) {
            return completed;
        }
        try {
            MessageRecord rest = store.replace(completed.dispatchedUpTo(sent));
            return rest == null ? completed : rest;
        } catch (RuntimeException e) {
            log.noAnswer(completed.key().messageId(), "some of its publications will be sent twice", e);
            return completed;
        }
    }
}
