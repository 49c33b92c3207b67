// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.identity.RandomIds;
import io.safebunny.node.Node;
import io.safebunny.observation.Metrics;
import io.safebunny.scheduling.ScheduledDocument.Alarm;
import io.safebunny.scheduling.ScheduledDocument.Status;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Scheduled messages that still wait although they are due, because their alarm got lost. Thread-safe. */
final class OverdueMessages implements Overdue {

    private final MessageStore store;
    private final Alarms alarms;
    private final Timeline timeline;
    private final Metrics metrics;
    private final Duration lease;
    private final Duration patience;

    /** @param patience how late an alarm may be before it counts as lost */
    OverdueMessages(Node node, Alarms alarms, Duration patience) {
        this.store = node.requireStore();
        this.alarms = alarms;
        this.timeline = node.timeline();
        this.metrics = node.metrics();
        this.lease = node.options().lease();
        this.patience = patience;
    }

    @Override
    public List<MessageRecord> find(Instant from, Instant until, int limit) {
        return store.findListed(new ListingQuery(ScheduledDocument.KIND, Status.WAITING.name(), from, until, limit));
    }

    @Override
    public Instant since(Listing listing) {
        return listing.createdAt();
    }

    @Override
    public Listing at(Instant since, Listing listing) {
        return new Listing(listing.kind(), listing.status(), since, listing.dueAt());
    }

    @Override
    public @Nullable Woken take(MessageRecord record, Instant now) {
        String id = record.key().correlationId();
        ScheduledDocument waiting = ScheduledDocument.read(record);
        Alarm alarm = waiting.alarm();
        Instant due = waiting.deliverAt();
        if (alarm == null || waiting.publication() == null || due == null) {
            return null;
        }
        AlarmFate fate = AlarmFate.of(store.find(new RecordKey(id, alarm.token())), due.plus(patience), now);
        if (fate == AlarmFate.SPENT) {
            alarm = alarms.next(due, now);
            waiting = ScheduledDocument.waiting(due, alarm, waiting.publication(), waiting.scheduledAt());
        }
        boolean isSent =
                fate == AlarmFate.MISSING || fate == AlarmFate.SPENT; // one that was set aside is an operator's
        Duration pause = fate == AlarmFate.OPEN ? lease : OverdueSweep.backOff(lease, due, now);
        MessageRecord taken =
                store.replace(waiting.write(record, id, RandomIds.next(timeline.random()), now.plus(pause)));
        if (taken == null || !isSent) {
            return null;
        }
        metrics.scheduled("woken");
        return new Woken(taken, List.of(alarms.message(alarm, id, now)));
    }
}
