// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.message.MessageTypes;
import io.safebunny.node.Node;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import io.safebunny.saga.execution.SagaLog;
import io.safebunny.scheduling.AlarmFate;
import io.safebunny.scheduling.Overdue;
import io.safebunny.scheduling.OverdueSweep;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
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
 * Finds sagas whose timeout is over but whose alarm has not arrived, and ended sagas whose retention is over. Thread-safe.
 */
final class OverdueSagas implements Overdue {

    private static final Logger LOG = LoggerFactory.getLogger(OverdueSagas.class);

    private static final String TIMEOUT = MessageTypes.nameOf(BunnyTimeout.class);

    private final Map<String, SagaStates> states;
    private final MessageStore store;
    private final SagaMessages messages;
    private final Node node;
    private final Duration lease;
    private final Duration patience;
    /** Names of sagas for which this instance has no class, or whose states its class cannot read, with the time when this was noticed. */
    private final Map<String, Instant> unknown = new ConcurrentHashMap<>();

    /**
     * @param states reads the states of the sagas that this instance has a class for, by name of the saga
     * @param patience how late an alarm may be before it counts as lost
     */
    OverdueSagas(Node node, Map<String, SagaStates> states, SagaMessages messages, Duration patience) {
        this.states = states;
        this.store = node.requireStore();
        this.messages = messages;
        this.node = node;
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
        if (isEnded(listing)) { // no matter which version wrote it
            MessageRecord unused =
                    store.replace(record.nextContent(RecordState.DISPATCHED, record.owner(), null, record.steps()));
            return null;
        }
        SagaStates known = states.get(listing.kind());
        SagaDocument saga = known == null
                ? null
                : SagaDocument.ifReadable(listing.kind(), record).orElse(null);
        if (known == null || saga == null) { // another version of the application or of SafeBunny wrote it
            putOff(record, listing, now.plus(known == null ? pauseOfUnknown(listing.kind(), now) : longer()));
            return null;
        }
        Duration pause = pauseOfUnreadable(known, saga, now);
        if (pause != null) { // the alarm would come back again and again until an instance can read the state
            putOff(record, listing, now.plus(pause));
            return null;
        }
        SagaStatus before = saga.status();
        List<OutboundMessage> alarms = wake(saga, now);
        MessageRecord taken = store.replace(saga.postponed(record, now, now.plus(pause(saga, alarms, now))));
        if (taken != null && saga.status() != before) {
            SagaLog.became(node, saga);
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

    /**
     * How long to postpone sagas without a class. Short at first, because during a deployment another instance may have the class; later it
     * was probably removed.
     */
    private Duration pauseOfUnknown(String kind, Instant now) {
        Instant since = unknown.putIfAbsent(kind, now);
        if (since == null) {
            LOG.warn(
                    "The store has sagas that this instance has no class for [saga={}]: their timeouts do not run. If the class was renamed, set its old name with @BunnySaga(name = …); if it was removed, add it again until its sagas have ended",
                    kind);
            since = now;
        }
        return OverdueSweep.backOff(longer(), since, now);
    }

    /** How long to postpone a saga whose state this instance cannot read; {@code null} if it can. */
    private @Nullable Duration pauseOfUnreadable(SagaStates known, SagaDocument saga, Instant now) {
        try {
            Object unused = known.read(saga);
            return null;
        } catch (NotHandledException anothers) {
            if (anothers.isTrouble()) { // the keys are away: the alarm waits for them like any message
                return null;
            }
            if (unknown.putIfAbsent(saga.saga(), now) == null) {
                LOG.warn(
                        "The store has sagas whose state this instance cannot read [saga={}]: their timeouts do not run. The first failure:",
                        saga.saga(),
                        node.details().of(TIMEOUT).logged(anothers));
            }
            return longer();
        } catch (RuntimeException upgradeFailed) {
            // the alarm will fail in the same way, and the saga becomes visibly stuck
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

    /** The alarms to send after the saga is written. An earlier alarm's own record shows what happened to it. */
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
            } catch (UnreadableRecordException e) { // a newer version of SafeBunny wrote it, and takes care of it
                continue;
            }
            switch (AlarmFate.of(handled, timeout.due().plus(patience), now)) {
                case MISSING -> alarms.add(messages.alarm(saga.saga(), saga.id(), name, timeout, now));
                case OPEN -> {}
                case SET_ASIDE -> {
                    saga.stickOn(timeout.token(), null);
                    saga.note(now, "stuck: the message of timeout %s was set aside".formatted(name));
                }
                case SPENT -> { // it fired while the saga was stuck; sent again under a new id
                    Timeout anew =
                            Timeout.due(messages.timeoutToken(saga, name, timeout.token(), 1), timeout.due(), now);
                    saga.timeouts().put(name, anew);
                    alarms.add(messages.alarm(saga.saga(), saga.id(), name, anew, now));
                }
            }
        }
        return alarms;
    }
}
