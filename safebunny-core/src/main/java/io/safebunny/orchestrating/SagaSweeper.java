// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
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
    private static final int MOST_LEFT = 1_000;

    private final SagaTypes types;
    private final MessageStore store;
    private final SagaCounts counts;
    private final ConfirmedSender sender;
    private final SagaMessages messages;
    private final Timeline timeline;
    private final BoundedLog log;
    private final Duration lease;

    /** @param lease half of it is how late a message may be before it is sent again; also how long a round lasts at most */
    SagaSweeper(
            SagaTypes types,
            MessageStore store,
            SagaCounts counts,
            ConfirmedSender sender,
            SagaMessages messages,
            Timeline timeline,
            BoundedLog log,
            Duration lease) {
        this.types = types;
        this.store = store;
        this.counts = counts;
        this.sender = sender;
        this.messages = messages;
        this.timeline = timeline;
        this.log = log;
        this.lease = lease;
    }

    /** Runs one round on the calling thread. */
    void sweep() {
        try {
            wakeAndRetire();
            counts.refresh();
            log.works(FAILED);
        } catch (RuntimeException e) {
            log.fails(FAILED, "sagas", () -> LOG.warn("Sagas cannot be looked after now", log.tellable(e)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void wakeAndRetire() throws InterruptedException {
        long end = timeline.nanoTime() + lease.toNanos();
        int left = 0; // found, and not for this instance: they are found again
        int asked;
        int found;
        do {
            asked = PORTION + left;
            left = 0;
            Instant now = timeline.now();
            List<OutboundMessage> alarms = new ArrayList<>();
            List<MessageRecord> due = store.findDue(now.minus(lease.dividedBy(2)), asked);
            for (MessageRecord record : due) {
                left += look(record, now, alarms) ? 0 : 1;
            }
            send(alarms);
            found = due.size();
        } while (found == asked && left < MOST_LEFT && timeline.nanoTime() - end < 0);
    }

    /** @return whether it is not found again for a while */
    private boolean look(MessageRecord record, Instant now, List<OutboundMessage> alarms) {
        Listing listing = record.listing();
        SagaType type = listing == null ? null : types.find(listing.kind());
        SagaDocument saga = type == null ? null : readable(type, record);
        if (listing == null || saga == null) {
            return false;
        }
        if (saga.status().isEnded()) {
            @Nullable
            MessageRecord unused =
                    store.replace(record.nextContent(RecordState.DISPATCHED, record.owner(), null, record.steps()));
            return true;
        }
        List<OutboundMessage> ofSaga = wake(saga, now);
        MessageRecord taken = store.replace(saga.postponed(record, now.plus(lease)));
        if (taken != null) {
            alarms.addAll(ofSaga);
        }
        return true;
    }

    /** What is to be sent when the saga is written; what the message of a timeout has come to is in its own record. */
    private List<OutboundMessage> wake(SagaDocument saga, Instant now) {
        List<OutboundMessage> alarms = new ArrayList<>();
        for (Map.Entry<String, SagaTimeout> entry : saga.timeouts().entrySet()) {
            String name = entry.getKey();
            SagaTimeout timeout = entry.getValue();
            if (timeout.wakesAt().isAfter(now)) {
                continue;
            }
            MessageRecord handled = store.find(new RecordKey(saga.id(), timeout.token()));
            if (handled == null) {
                alarms.add(messages.alarm(saga.saga(), saga.id(), name, timeout, now));
            } else if (handled.state() == RecordState.POISONED) {
                saga.stickOn(timeout.token());
                saga.note(now, "stuck: the message of timeout %s was set aside".formatted(name));
            } else if (handled.state() != RecordState.CLAIMED && handled.state() != RecordState.RELEASED) {
                // it came while the saga did not listen, and its id is spent
                SagaTimeout anew = messages.timeout(saga, name, timeout.due(), timeout.token(), 1, now);
                saga.put(name, anew);
                alarms.add(messages.alarm(saga.saga(), saga.id(), name, anew, now));
            }
        }
        return alarms;
    }

    private static @Nullable SagaDocument readable(SagaType type, MessageRecord record) {
        try {
            return SagaDocument.read(type.name(), record);
        } catch (UnreadableRecordException e) {
            return null;
        }
    }

    private void send(List<OutboundMessage> alarms) throws InterruptedException {
        if (alarms.isEmpty()) {
            return;
        }
        CompletableFuture<?>[] sent = alarms.stream().map(sender::send).toArray(CompletableFuture[]::new);
        try {
            Object unused = timeline.await(CompletableFuture.allOf(sent), lease);
            LOG.info(
                    "Woke sagas whose timeouts are over, because the messages that should have done so are late [count={}]",
                    alarms.size());
        } catch (ExecutionException | TimeoutException e) {
            log.fails(
                    FAILED,
                    "sagas",
                    () -> LOG.warn(
                            "Messages that wake sagas are not confirmed; they are sent again later", log.tellable(e)));
        }
    }
}
