// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.supervision;

import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import io.safebunny.scheduling.AlarmFate;
import io.safebunny.scheduling.Overdue;
import io.safebunny.scheduling.OverdueSweep;
import io.safebunny.store.Listing;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sagas whose timeouts are over and whose message has not come, and those that ended long enough ago to be let go. Thread-safe.
 */
final class OverdueSagas implements Overdue {

    private static final Logger LOG = LoggerFactory.getLogger(OverdueSagas.class);

    private final Map<String, SagaStates> states;
    private final MessageStore store;
    private final SagaMessages messages;
    private final Metrics metrics;
    private final BoundedLog log;
    private final Duration lease;
    private final Duration patience;
    /** Kinds that this instance has no class for, or whose states its class does not read, since when it knows. */
    private final Map<String, Instant> unknown = new ConcurrentHashMap<>();

    /**
     * @param states of the sagas that this instance knows, by their names
     * @param patience how late a timeout's message may be before it counts as lost
     */
    OverdueSagas(Node node, Map<String, SagaStates> states, SagaMessages messages, Duration patience) {
        this.states = states;
        this.store = node.requireStore();
        this.messages = messages;
        this.metrics = node.metrics();
        this.log = node.log();
        this.lease = node.options().lease();
        this.patience = patience;
    }

    @Override
    public List<MessageRecord> find(Instant from, Instant until, int limit) {
        return store.findDue(from, until, limit);
    }

    @Override
    public Instant since(Listing listing) {
        Instant due = listing.dueAt();
        return due == null ? Instant.EPOCH : due;
    }

    @Override
    public Listing at(Instant since, Listing listing) {
        return new Listing(listing.kind(), listing.status(), listing.createdAt(), since);
    }

    @Override
    public @Nullable Woken take(MessageRecord record, Instant now) {
        Listing listing = record.listing();
        if (listing == null) {
            return null;
        }
        if (isEnded(listing)) { // of whatever version
            MessageRecord unused =
                    store.replace(record.nextContent(RecordState.DISPATCHED, record.owner(), null, record.steps()));
            return null;
        }
        SagaStates known = states.get(listing.kind());
        SagaDocument saga = known == null ? null : readable(listing.kind(), record);
        if (known == null || saga == null) { // of another version of the application, or of SafeBunny
            putOff(record, listing, now.plus(known == null ? pauseOfUnknown(listing.kind(), now) : longer()));
            return null;
        }
        Duration pause = pauseOfUnreadable(known, saga, now);
        if (pause != null) { // an alarm would go round until an instance comes that reads the state
            putOff(record, listing, now.plus(pause));
            return null;
        }
        SagaStatus before = saga.status();
        List<OutboundMessage> alarms = wake(saga, now);
        MessageRecord taken = store.replace(saga.postponed(record, now, now.plus(pause(saga, alarms, now))));
        if (taken != null && saga.status() != before) {
            metrics.sagaBecame(saga.saga(), saga.status().name());
        }
        return taken == null ? null : new Woken(taken, alarms);
    }

    private Duration longer() {
        return lease.multipliedBy(4);
    }

    private void putOff(MessageRecord record, Listing listing, Instant until) {
        MessageRecord unused =
                store.replace(record.nextContent(record.state(), record.owner(), at(until, listing), record.steps()));
    }

    private static boolean isEnded(Listing listing) {
        return Arrays.stream(SagaStatus.values())
                .anyMatch(status -> status.isEnded() && status.name().equals(listing.status()));
    }

    /** Perhaps an instance that knows it runs beside this one, as in a deployment; later on its class has probably been removed. */
    private Duration pauseOfUnknown(String kind, Instant now) {
        Instant since = unknown.putIfAbsent(kind, now);
        if (since == null) {
            LOG.warn(
                    "Sagas are stored that no @BunnySaga of this instance is named for [saga={}]: their timeouts do not run. If the class was renamed, give it its old name; if it was removed, let its sagas end first",
                    kind);
            since = now;
        }
        return OverdueSweep.backOff(longer(), since, now);
    }

    /** {@code null} if this instance reads the state. */
    private @Nullable Duration pauseOfUnreadable(SagaStates known, SagaDocument saga, Instant now) {
        try {
            Object unused = known.read(saga);
            return null;
        } catch (NotHandledException anothers) {
            if (unknown.putIfAbsent(saga.saga(), now) == null) {
                LOG.warn(
                        "Sagas are stored whose states this instance does not read [saga={}]: their timeouts do not run. Of the first one:",
                        saga.saga(),
                        log.tellable(anothers));
            }
            return longer();
        } catch (
                RuntimeException
                        upgradeFails) { // its message fails likewise, and the saga is stuck on it, where that is seen
            return null;
        }
    }

    private Duration pause(SagaDocument saga, List<OutboundMessage> alarms, Instant now) {
        Instant first = saga.timeouts().all().values().stream()
                .map(Timeout::wakesAt)
                .min(Instant::compareTo)
                .orElse(now);
        return alarms.isEmpty() ? lease : OverdueSweep.backOff(lease, first, now);
    }

    /** What is to be sent when the saga is written; what the message of a timeout has come to is in its own record. */
    private List<OutboundMessage> wake(SagaDocument saga, Instant now) {
        List<OutboundMessage> alarms = new ArrayList<>();
        for (Map.Entry<String, Timeout> entry : saga.timeouts().all().entrySet()) {
            String name = entry.getKey();
            Timeout timeout = entry.getValue();
            if (timeout.wakesAt().isAfter(now)) {
                continue;
            }
            MessageRecord handled;
            try {
                handled = store.find(new RecordKey(saga.id(), timeout.token()));
            } catch (UnreadableRecordException e) { // an instance of the newer version handles it
                continue;
            }
            switch (AlarmFate.of(handled, timeout.due().plus(patience), now)) {
                case MISSING -> alarms.add(messages.alarm(saga.saga(), saga.id(), name, timeout, now));
                case OPEN -> {}
                case SET_ASIDE -> {
                    saga.stickOn(timeout.token());
                    saga.note(now, "stuck: the message of timeout %s was set aside".formatted(name));
                }
                case SPENT -> { // it fired while the saga was stuck
                    Timeout anew =
                            Timeout.due(messages.timeoutToken(saga, name, timeout.token(), 1), timeout.due(), now);
                    saga.timeouts().put(name, anew);
                    alarms.add(messages.alarm(saga.saga(), saga.id(), name, anew, now));
                }
            }
        }
        return alarms;
    }

    private static @Nullable SagaDocument readable(String saga, MessageRecord record) {
        try {
            return SagaDocument.read(saga, record);
        } catch (UnreadableRecordException e) {
            return null;
        }
    }
}
