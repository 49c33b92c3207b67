// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.identity.RandomIds;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.scheduling.ScheduledDocument.Alarm;
import io.safebunny.scheduling.ScheduledDocument.Status;
import io.safebunny.spi.store.ListingQuery;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the alarms of messages that are due and still wait, because an alarm got lost. Every instance of a node sweeps; what one has
 * taken, the others do not find for a while. Used by one thread at a time.
 */
final class ScheduledSweeper {

    private static final Logger LOG = LoggerFactory.getLogger(ScheduledSweeper.class);
    private static final Kind FAILED = Kind.warn(LOG, "Scheduled messages cannot be looked after");

    private static final int PORTION = 100;
    private static final int MOST_LEFT = 1_000;

    private final MessageStore store;
    private final ConfirmedSender sender;
    private final Alarms alarms;
    private final Timeline timeline;
    private final BoundedLog log;
    private final Duration lease;

    /** @param lease half of it is how late an alarm may be before it is sent again; also how long a round lasts at most */
    ScheduledSweeper(
            MessageStore store,
            ConfirmedSender sender,
            Alarms alarms,
            Timeline timeline,
            BoundedLog log,
            Duration lease) {
        this.store = store;
        this.sender = sender;
        this.alarms = alarms;
        this.timeline = timeline;
        this.log = log;
        this.lease = lease;
    }

    /** Runs one round on the calling thread. */
    void sweep() {
        try {
            if (ringAll()) {
                log.works(FAILED);
            }
        } catch (RuntimeException e) {
            failed("Scheduled messages cannot be looked after now", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void failed(String what, Exception e) {
        log.fails(FAILED, "scheduling", () -> LOG.warn("{}", what, log.tellable(e)));
    }

    /** @return whether nothing failed */
    private boolean ringAll() throws InterruptedException {
        long end = timeline.nanoTime() + lease.toNanos();
        Set<RecordKey> left = new HashSet<>(); // found and not changed: they are found again, before all others
        boolean confirmed;
        boolean more;
        do {
            int asked = PORTION + left.size();
            Instant now = timeline.now();
            List<OutboundMessage> ringing = new ArrayList<>();
            List<MessageRecord> overdue = store.findListed(new ListingQuery(
                    ScheduledDocument.KIND, Status.WAITING.name(), now.minus(lease.dividedBy(2)), asked));
            for (MessageRecord record : overdue) {
                if (!left.contains(record.key()) && timeline.nanoTime() - end < 0 && !isTaken(record, now, ringing)) {
                    left.add(record.key());
                }
            }
            confirmed = send(ringing);
            more = overdue.size() == asked && left.size() < MOST_LEFT;
        } while (confirmed && more && timeline.nanoTime() - end < 0);
        return confirmed && left.isEmpty();
    }

    /** One that fails must not hold up the others: its handler may hold it, or a newer version wrote it. */
    private boolean isTaken(MessageRecord record, Instant now, List<OutboundMessage> ringing) {
        try {
            OutboundMessage alarm = take(record, now);
            if (alarm != null) {
                ringing.add(alarm);
            }
            return true;
        } catch (RuntimeException e) {
            failed("A scheduled message cannot be looked after now", e);
            return false;
        }
    }

    /** @return the alarm to be sent; {@code null} if it is handled or set aside, or another one looks after it */
    private @Nullable OutboundMessage take(MessageRecord record, Instant now) {
        String id = record.key().correlationId();
        ScheduledDocument waiting = ScheduledDocument.read(record);
        Alarm alarm = waiting.alarm();
        if (alarm == null || waiting.publication() == null || waiting.deliverAt() == null) {
            return null;
        }
        MessageRecord handled = store.find(new RecordKey(id, alarm.token()));
        boolean isSpent = handled != null && handled.state().isFinal() && handled.state() != RecordState.POISONED;
        if (isSpent) { // what it came for was not there yet
            alarm = alarms.next(waiting.deliverAt(), now);
            waiting = ScheduledDocument.waiting(waiting.deliverAt(), alarm, waiting.publication());
        }
        MessageRecord taken =
                store.replace(waiting.write(record, id, RandomIds.next(timeline.random()), now.plus(lease)));
        return taken != null && (handled == null || isSpent) ? alarms.message(alarm, id, now) : null;
    }

    /** @return whether all are confirmed; the others are sent again later */
    private boolean send(List<OutboundMessage> ringing) throws InterruptedException {
        if (ringing.isEmpty()) {
            return true;
        }
        CompletableFuture<?>[] sent = ringing.stream().map(sender::send).toArray(CompletableFuture[]::new);
        try {
            Object unused = timeline.await(CompletableFuture.allOf(sent), lease);
            LOG.info("Sent the alarms of scheduled messages again, because they are late [count={}]", ringing.size());
            return true;
        } catch (ExecutionException | TimeoutException e) {
            failed("Alarms of scheduled messages are not confirmed; they are sent again later", e);
            return false;
        }
    }
}
