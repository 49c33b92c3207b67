// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating.supervision;

import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.observation.Metrics;
import io.safebunny.orchestrating.document.SagaDocument;
import io.safebunny.orchestrating.document.SagaTimeout;
import io.safebunny.orchestrating.message.SagaMessages;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.spi.store.Listing;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.UnreadableRecordException;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes sagas whose timeouts are over and whose message has not come, and lets those go that ended long enough ago. Every instance of
 * a node sweeps; what one has taken, the others do not find for a while. Used by one thread at a time.
 */
final class SagaSweeper {

    private static final Logger LOG = LoggerFactory.getLogger(SagaSweeper.class);
    private static final Kind FAILED = Kind.warn(LOG, "Sagas cannot be looked after");

    private static final int PORTION = 100;
    /** Longer than delayed retries usually take. */
    private static final Duration LONGEST_RETRIES = Duration.ofDays(1);

    private static final int MOST_LEFT = 1_000;

    private final Set<String> sagas;
    private final MessageStore store;
    private final SagaCounts counts;
    private final ConfirmedSender sender;
    private final SagaMessages messages;
    private final Timeline timeline;
    private final Metrics metrics;
    private final BoundedLog log;
    private final Duration lease;

    /** @param lease half of it is how late a message may be before it is sent again; also how long a round lasts at most */
    SagaSweeper(
            Set<String> sagas,
            MessageStore store,
            SagaCounts counts,
            ConfirmedSender sender,
            SagaMessages messages,
            Timeline timeline,
            Metrics metrics,
            BoundedLog log,
            Duration lease) {
        this.sagas = sagas;
        this.store = store;
        this.counts = counts;
        this.sender = sender;
        this.messages = messages;
        this.timeline = timeline;
        this.metrics = metrics;
        this.log = log;
        this.lease = lease;
    }

    /** Runs one round on the calling thread. */
    void sweep() {
        try {
            boolean all = wakeAndRetire();
            counts.refresh();
            if (all) {
                log.works(FAILED);
            }
        } catch (RuntimeException e) {
            failed("Sagas cannot be looked after now", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void failed(String what, Exception e) {
        log.fails(FAILED, "sagas", () -> LOG.warn("{}", what, log.tellable(e)));
    }

    /** @return whether nothing failed */
    private boolean wakeAndRetire() throws InterruptedException {
        long end = timeline.nanoTime() + lease.toNanos();
        boolean all = true;
        int left = 0; // found and not changed: they are found again
        int asked;
        int found;
        do {
            asked = PORTION + left;
            left = 0;
            Instant now = timeline.now();
            List<OutboundMessage> alarms = new ArrayList<>();
            List<MessageRecord> due = store.findDue(now.minus(lease.dividedBy(2)), asked);
            for (MessageRecord record : due) {
                try {
                    look(record, now, alarms);
                } catch (
                        RuntimeException
                                e) { // of this one: its handler may hold it, or a newer version wrote something of it
                    failed("A saga cannot be looked after now", e);
                    left++;
                    all = false;
                }
            }
            all &= send(alarms);
            found = due.size();
        } while (all && found == asked && left < MOST_LEFT && timeline.nanoTime() - end < 0);
        return all;
    }

    /** Whatever it is, it is not found again for a while. */
    private void look(MessageRecord record, Instant now, List<OutboundMessage> alarms) {
        Listing listing = record.listing();
        if (listing == null) {
            return;
        }
        SagaDocument saga = sagas.contains(listing.kind()) ? readable(listing.kind(), record) : null;
        if (saga == null) { // of another version of the application, or of SafeBunny
            Listing later =
                    new Listing(listing.kind(), listing.status(), listing.createdAt(), now.plus(lease.multipliedBy(4)));
            MessageRecord unused =
                    store.replace(record.nextContent(record.state(), record.owner(), later, record.steps()));
            return;
        }
        if (saga.status().isEnded()) {
            MessageRecord unused =
                    store.replace(record.nextContent(RecordState.DISPATCHED, record.owner(), null, record.steps()));
            return;
        }
        List<OutboundMessage> ofSaga = wake(saga, now);
        MessageRecord taken = store.replace(saga.postponed(record, now, now.plus(lease)));
        if (taken != null) {
            if (!saga.status().name().equals(listing.status())) {
                metrics.sagaBecame(saga.saga(), saga.status().name());
            }
            alarms.addAll(ofSaga);
        }
    }

    /** What is to be sent when the saga is written; what the message of a timeout has come to is in its own record. */
    private List<OutboundMessage> wake(SagaDocument saga, Instant now) {
        List<OutboundMessage> alarms = new ArrayList<>();
        for (Map.Entry<String, SagaTimeout> entry : saga.timeouts().all().entrySet()) {
            String name = entry.getKey();
            SagaTimeout timeout = entry.getValue();
            if (timeout.wakesAt().isAfter(now)) {
                continue;
            }
            MessageRecord handled = store.find(new RecordKey(saga.id(), timeout.token()));
            if (handled == null || isGivenUp(handled, timeout, now)) {
                alarms.add(messages.alarm(saga.saga(), saga.id(), name, timeout, now));
            } else if (handled.state() == RecordState.POISONED) {
                saga.stickOn(timeout.token());
                saga.note(now, "stuck: the message of timeout %s was set aside".formatted(name));
            } else if (handled.state() != RecordState.CLAIMED && handled.state() != RecordState.RELEASED) {
                // it came while the saga did not listen, and its id is spent
                SagaTimeout anew = messages.timeout(saga, name, timeout.due(), timeout.token(), 1, now);
                saga.timeouts().put(name, anew);
                alarms.add(messages.alarm(saga.saga(), saga.id(), name, anew, now));
            }
        }
        return alarms;
    }

    /** It is being handled or retried, for so long that the message may be lost: one more does no harm. */
    private static boolean isGivenUp(MessageRecord handled, SagaTimeout timeout, Instant now) {
        boolean isOpen = handled.state() == RecordState.CLAIMED || handled.state() == RecordState.RELEASED;
        return isOpen && now.isAfter(timeout.due().plus(LONGEST_RETRIES));
    }

    private static @Nullable SagaDocument readable(String saga, MessageRecord record) {
        try {
            return SagaDocument.read(saga, record);
        } catch (UnreadableRecordException e) {
            return null;
        }
    }

    /** @return whether all are confirmed; the others are sent again later */
    private boolean send(List<OutboundMessage> alarms) throws InterruptedException {
        if (alarms.isEmpty()) {
            return true;
        }
        CompletableFuture<?>[] sent = alarms.stream().map(sender::send).toArray(CompletableFuture[]::new);
        try {
            Object unused = timeline.await(CompletableFuture.allOf(sent), lease);
            LOG.info(
                    "Woke sagas whose timeouts are over, because the messages that should have done so are late [count={}]",
                    alarms.size());
            return true;
        } catch (ExecutionException | TimeoutException e) {
            failed("Messages that wake sagas are not confirmed; they are sent again later", e);
            return false;
        }
    }
}
