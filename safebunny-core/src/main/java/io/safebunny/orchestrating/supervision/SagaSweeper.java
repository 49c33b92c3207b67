// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating.supervision;

import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.observation.Metrics;
import io.safebunny.orchestrating.document.SagaDocument;
import io.safebunny.orchestrating.document.SagaTimeout;
import io.safebunny.orchestrating.message.SagaMessages;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.saga.SagaStatus;
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
import java.util.Arrays;
import java.util.HashMap;
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
    /** Longer than delayed retries usually take. */
    private static final Duration LONGEST_RETRIES = Duration.ofDays(1);

    /** After that, new ones that cannot be looked after hold up those that are due later. */
    private static final int MOST_LEFT = 1_000;

    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    private final Map<String, Integer> versions;
    private final MessageStore store;
    private final SagaCounts counts;
    private final ConfirmedSender sender;
    private final SagaMessages messages;
    private final Timeline timeline;
    private final Metrics metrics;
    private final BoundedLog log;
    private final Duration lease;
    /** Those that could not even be put off, until when they are passed over. */
    private final Map<RecordKey, Instant> left = new HashMap<>();
    /** Kinds that this instance has no class for, since when it knows. */
    private final Map<String, Instant> unknown = new HashMap<>();

    /**
     * @param versions of the state that this instance knows, by name of the saga
     * @param lease half of it is how late a message may be before it is sent again; also how long a round lasts at most
     */
    SagaSweeper(
            Map<String, Integer> versions,
            MessageStore store,
            SagaCounts counts,
            ConfirmedSender sender,
            SagaMessages messages,
            Timeline timeline,
            Metrics metrics,
            BoundedLog log,
            Duration lease) {
        this.versions = versions;
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
        boolean all = count();
        try {
            all &= wakeAndRetire();
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

    /** First, as health tells of the figures, and whatever else fails. */
    private boolean count() {
        try {
            counts.refresh();
            return true;
        } catch (RuntimeException e) {
            failed("Sagas cannot be counted now: health and meters tell of them as they were", e);
            return false;
        }
    }

    /** @return whether nothing failed */
    private boolean wakeAndRetire() throws InterruptedException {
        long end = timeline.nanoTime() + lease.toNanos();
        Instant begun = timeline.now();
        left.values().removeIf(until -> !until.isAfter(begun));
        boolean all = true;
        boolean sent;
        int asked;
        int found;
        do {
            asked = PORTION + left.size();
            Instant now = timeline.now();
            List<Woken> woken = new ArrayList<>();
            List<MessageRecord> due = store.findDue(now.minus(lease.dividedBy(2)), asked);
            for (MessageRecord record : due) {
                if (!left.containsKey(record.key()) && timeline.nanoTime() - end < 0) {
                    all &= lookSafely(record, now, woken);
                }
            }
            sent = send(woken);
            found = due.size();
        } while (sent && found == asked && left.size() < MOST_LEFT && timeline.nanoTime() - end < 0);
        return all && sent;
    }

    /**
     * Whatever is wrong with one, the others are looked after.
     *
     * @return whether it could be looked after
     */
    private boolean lookSafely(MessageRecord record, Instant now, List<Woken> woken) {
        try {
            look(record, now, woken);
            return true;
        } catch (RuntimeException e) { // its handler may hold it, or a newer version wrote something of it
            failed("A saga cannot be looked after now", e);
            if (!isPutOff(record, now.plus(lease.multipliedBy(4)))) {
                left.put(record.key(), now.plus(lease.multipliedBy(4)));
            }
            return false;
        }
    }

    /** @return whether it is not found again for a while; the document stays as it is, which may be what cannot be written */
    private boolean isPutOff(MessageRecord record, Instant until) {
        try {
            putOff(record, until);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** With its document as it is. */
    private @Nullable MessageRecord putOff(MessageRecord record, Instant until) {
        Listing listing = record.listing();
        Listing later =
                listing == null ? null : new Listing(listing.kind(), listing.status(), listing.createdAt(), until);
        return store.replace(record.nextContent(record.state(), record.owner(), later, record.steps()));
    }

    /** What is to be sent for a saga that this instance has taken. */
    private record Woken(MessageRecord taken, List<OutboundMessage> alarms) {}

    /** Whatever it is, it is not found again for a while. */
    private void look(MessageRecord record, Instant now, List<Woken> woken) {
        Listing listing = record.listing();
        if (listing == null) {
            return;
        }
        if (isEnded(listing)) { // of whatever version
            MessageRecord unused =
                    store.replace(record.nextContent(RecordState.DISPATCHED, record.owner(), null, record.steps()));
            return;
        }
        Integer version = versions.get(listing.kind());
        SagaDocument saga = version == null ? null : readable(listing.kind(), record);
        if (version == null || saga == null) { // of another version of the application, or of SafeBunny
            Duration pause = version == null ? pauseOfUnknown(listing.kind(), now) : lease.multipliedBy(4);
            MessageRecord unused = putOff(record, now.plus(pause));
            return;
        }
        if (saga.stateVersion() > version) { // an alarm would go round until an instance comes that knows the state
            MessageRecord unused = putOff(record, now.plus(lease.multipliedBy(4)));
            return;
        }
        List<OutboundMessage> alarms = wake(saga, now);
        MessageRecord taken = store.replace(saga.postponed(record, now, now.plus(pause(saga, alarms, now))));
        if (taken != null) {
            if (!saga.status().name().equals(listing.status())) {
                metrics.sagaBecame(saga.saga(), saga.status().name());
            }
            woken.add(new Woken(taken, alarms));
        }
    }

    private static boolean isEnded(Listing listing) {
        return Arrays.stream(SagaStatus.values())
                .anyMatch(status -> status.isEnded() && status.name().equals(listing.status()));
    }

    /** Perhaps an instance that knows it runs beside this one, as in a deployment; later on its class has probably been removed. */
    private Duration pauseOfUnknown(String kind, Instant now) {
        Instant since = unknown.get(kind);
        if (since == null) {
            unknown.put(kind, now);
            LOG.warn(
                    "Sagas are stored that no @BunnySaga of this instance is named for [saga={}]: their timeouts do not run. If the class was renamed, give it its old name; if it was removed, let its sagas end first",
                    kind);
            since = now;
        }
        return between(lease.multipliedBy(4), Duration.between(since, now));
    }

    /** Messages that are there and cannot be handled are not multiplied: each time it waits as long again as it has waited. */
    private Duration pause(SagaDocument saga, List<OutboundMessage> alarms, Instant now) {
        Instant first = saga.timeouts().all().values().stream()
                .map(SagaTimeout::wakesAt)
                .min(Instant::compareTo)
                .orElse(now);
        return alarms.isEmpty() ? lease : between(lease, Duration.between(first, now));
    }

    private static Duration between(Duration shortest, Duration wanted) {
        Duration bounded = wanted.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : wanted;
        return bounded.compareTo(shortest) > 0 ? bounded : shortest;
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
            MessageRecord handled;
            try {
                handled = store.find(new RecordKey(saga.id(), timeout.token()));
            } catch (UnreadableRecordException e) { // an instance of the newer version handles it
                continue;
            }
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
    private boolean send(List<Woken> woken) throws InterruptedException {
        List<OutboundMessage> alarms =
                woken.stream().flatMap(saga -> saga.alarms().stream()).toList();
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
            Instant soon = timeline.now().plus(lease);
            for (Woken saga : woken) { // what the broker did not take is not to wait any longer for that
                Listing listing = saga.taken().listing();
                if (listing != null
                        && listing.dueAt() != null
                        && listing.dueAt().isAfter(soon)) {
                    boolean unused = isPutOff(saga.taken(), soon);
                }
            }
            return false;
        }
    }
}
