// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.bodies.BodyReference;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.identity.RandomIds;
import io.safebunny.node.Node;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.scheduling.ScheduledDocument.Alarm;
import io.safebunny.scheduling.ScheduledDocument.Status;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes documents outside the handling of messages, by conditional writes in transactions of their own. After a conflict or a call
 * without an answer, reads the document to see whether the write succeeded, and if not, tries again. Thread-safe.
 */
final class ScheduledDocuments {

    private static final Logger LOG = LoggerFactory.getLogger(ScheduledDocuments.class);

    private static final int TRIES = 3;

    private final MessageStore store;
    private final ConfirmedSender sender;
    private final Alarms alarms;
    private final Timeline timeline;
    private final Metrics metrics;
    private final Duration remembered;

    /** @param remembered how long the store is sure to remember a message after it was scheduled */
    ScheduledDocuments(Node node, Alarms alarms, Duration remembered) {
        this.store = node.requireStore();
        this.sender = node.sender();
        this.alarms = alarms;
        this.timeline = node.timeline();
        this.metrics = node.metrics();
        this.remembered = remembered;
    }

    /** A change of a document. Pure. */
    private interface Change {

        /**
         * @param known {@code null} when the message is still on its way to the store
         * @return {@code null} when it is too late
         */
        @Nullable
        ScheduledDocument of(@Nullable ScheduledDocument known);
    }

    /**
     * The result of one attempt: the document was written; or the attempt was overtaken, and must be repeated; or it came too late, so
     * neither.
     *
     * @param before what was stored; {@code null} for nothing, or if an earlier attempt has written it
     */
    record Attempt(
            boolean isOvertaken,
            @Nullable ScheduledDocument before,
            @Nullable ScheduledDocument written) {}

    @Nullable
    ScheduledDocument find(String messageId) {
        MessageRecord stored =
                TransactionalMessageStore.apart(store, () -> store.find(ScheduledDocument.key(messageId)));
        return stored == null ? null : ScheduledDocument.read(stored);
    }

    /** Whether the message is certain never to be delivered. */
    boolean cancel(Handle handle) {
        return change(
                                handle.messageId(),
                                isForgotten(handle),
                                known -> known == null || known.status() != Status.PUBLISHED ? cancelled(known) : null)
                        .written
                != null;
    }

    private ScheduledDocument cancelled(@Nullable ScheduledDocument known) {
        return known != null && known.status() == Status.CANCELLED
                ? known
                : ScheduledDocument.ended(Status.CANCELLED, known == null ? null : known.deliverAt(), timeline.now());
    }

    /** Whether it will be delivered at that time. */
    boolean move(Handle handle, Instant deliverAt) {
        return move(handle.messageId(), isForgotten(handle), null, deliverAt).written != null;
    }

    /**
     * Cancels a message that is stored and waits; repeats nothing.
     *
     * @param seen when it must be due; {@code null} for whenever
     */
    Attempt cancelWaiting(String messageId, @Nullable Instant seen) {
        return change(
                messageId,
                true,
                known -> known != null && (known.isEnded() || isOther(known, seen)) ? null : cancelled(known));
    }

    /**
     * Moves a message that is stored.
     *
     * @param seen when it must be due before; {@code null} for whenever
     */
    Attempt moveWaiting(String messageId, @Nullable Instant seen, Instant deliverAt) {
        return move(messageId, true, seen, deliverAt);
    }

    private static boolean isOther(ScheduledDocument known, @Nullable Instant seen) {
        return seen != null && !seen.equals(known.deliverAt());
    }

    private Attempt move(String messageId, boolean mustBeStored, @Nullable Instant seen, Instant deliverAt) {
        Instant now = timeline.now();
        Alarm another = alarms.next(deliverAt, now);
        Attempt done = change(
                messageId,
                mustBeStored,
                known -> known != null && isOther(known, seen) ? null : moved(known, deliverAt, another, now));
        if (done.written != null && another.equals(done.written.alarm())) {
            send(alarms.message(another, messageId, timeline.now()));
        }
        return done;
    }

    private static @Nullable ScheduledDocument moved(
            @Nullable ScheduledDocument known, Instant deliverAt, Alarm another, Instant now) {
        if (known == null || known.status() == Status.EXPECTED) {
            return ScheduledDocument.expected(deliverAt);
        }
        Alarm alarm = known.alarm();
        if (alarm == null || known.publication() == null) {
            return null;
        }
        requireBodyStays(known.publication(), known.deliverAt(), deliverAt);
        // an alarm that is already due may have been set aside;
        // one that comes early is set again for the remaining time
        boolean wakesInTime = alarm.wakesAt().isAfter(now) && !alarm.wakesAt().isAfter(deliverAt);
        return ScheduledDocument.waiting(
                deliverAt, wakesInTime ? alarm : another, known.publication(), known.scheduledAt());
    }

    /** How long it is kept was checked for the time for which the message was published. */
    private static void requireBodyStays(OutboundMessage publication, @Nullable Instant before, Instant deliverAt) {
        boolean isLater = before == null || deliverAt.isAfter(before);
        if (isLater && BodyReference.isIn(publication.message().headers())) {
            throw new InvalidPublicationException(
                    "The message cannot be moved to a later time [deliverAt=%s]: its body is kept in a body store, for as long as its present time needs. Cancel it, and publish it anew."
                            .formatted(deliverAt));
        }
    }

    /** @param mustBeStored whether a message that is not stored is left alone: it would not be known whether it was published */
    private Attempt change(String messageId, boolean mustBeStored, Change change) {
        String owner = RandomIds.next(timeline.random());
        for (int failures = 0; ; ) {
            try {
                Attempt attempt =
                        TransactionalMessageStore.apart(store, () -> attempt(messageId, mustBeStored, owner, change));
                if (!attempt.isOvertaken) {
                    return attempt;
                }
            } catch (RuntimeException e) {
                boolean isAnswer = e instanceof SafeBunnyException && !(e instanceof StoreUnavailableException);
                if (isAnswer || ++failures == TRIES) {
                    throw e;
                }
                LOG.debug("The store did not answer; looking again", e);
            }
        }
    }

    private Attempt attempt(String messageId, boolean mustBeStored, String owner, Change change) {
        MessageRecord stored = store.find(ScheduledDocument.key(messageId));
        if (stored != null && stored.owner().equals(owner)) { // written by an earlier attempt, whose answer was lost
            ScheduledDocument written = ScheduledDocument.read(stored);
            count(null, written);
            return new Attempt(false, null, written);
        }
        if (stored == null && mustBeStored) {
            return new Attempt(false, null, null);
        }
        ScheduledDocument known = stored == null ? null : ScheduledDocument.read(stored);
        ScheduledDocument next = change.of(known);
        if (next == null) {
            return new Attempt(false, known, null);
        }
        MessageRecord write = next.write(stored, messageId, owner);
        MessageRecord written = stored == null ? store.create(write) : store.replace(write);
        boolean isOurs = written != null && written.owner().equals(owner);
        if (isOurs) {
            count(known, next);
        }
        return new Attempt(!isOurs, known, isOurs ? next : null);
    }

    /** Counts a move or a cancellation. A message that is cancelled twice is counted once. */
    private void count(@Nullable ScheduledDocument known, ScheduledDocument written) {
        if (written.status() != Status.CANCELLED) {
            metrics.scheduled("moved");
        } else if (known == null || known.status() != Status.CANCELLED) {
            metrics.scheduled("cancelled");
        }
    }

    /** Whether the message may have been published so long ago that the store has forgotten it. */
    private boolean isForgotten(Handle handle) {
        return !timeline.now().isBefore(handle.scheduledAt().plus(remembered));
    }

    /** Sends the alarm. If it is not confirmed, the sweeper sends it again when the message is due. */
    private void send(OutboundMessage alarm) {
        CompletableFuture<Void> unused = sender.send(alarm).whenComplete((none, failure) -> {
            if (failure != null) {
                LOG.debug(
                        "The alarm of a moved message is not confirmed; the sweeper sends it again when the message is due",
                        failure);
            }
        });
    }
}
