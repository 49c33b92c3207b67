// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import io.safebunny.message.Headers;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks records whose publications the broker does not accept; the publications themselves are in the store. Warns about each
 * destination once, until nothing waits for it any more. Forgets the oldest records, and those that this instance has not met for
 * some rounds of the sweeper, because another instance has them. Thread-safe.
 */
final class WaitingRecords {

    private static final Logger LOG = LoggerFactory.getLogger(WaitingRecords.class);

    private static final int MOST = 10_000;
    private static final int ROUNDS = 3;
    private static final int SHOWN = 10;

    private final Timeline timeline;
    private final Map<RecordKey, Entry> entries = new LinkedHashMap<>();
    private final Map<String, Integer> destinations = new HashMap<>();
    /** Destinations that have been warned about and still have something waiting. */
    private final Set<String> told = new HashSet<>();

    private long round;

    WaitingRecords(Timeline timeline) {
        this.timeline = timeline;
    }

    private record Entry(String destination, long sentAt, long round) {}

    void add(Dispatch.Stop stop) {
        OutboundMessage at = stop.at();
        String destination = at.publication().routingKey();
        RuntimeException failure = stop.failure();
        boolean first;
        synchronized (this) {
            // before forget(), which would otherwise drop the destination when its count reaches 0
            destinations.merge(destination, 1, Integer::sum);
            forget(stop.record().key());
            entries.put(stop.record().key(), new Entry(destination, sentAt(at), round));
            if (entries.size() > MOST) {
                forget(entries.keySet().iterator().next());
            }
            first = failure != null && told.add(destination);
        }
        if (first && failure != null) {
            LOG.warn(
                    "Message {} is handled, but what it published cannot be sent [type={}, routingKey={}]: {} It waits in the message's record and is sent automatically once the cause is fixed; do not replay the handled message. Further messages for this destination are not logged: see the node's health, or safebunny.dispatch.waiting",
                    stop.record().key().messageId(),
                    at.publication().type(),
                    destination,
                    failure.getMessage());
        } else {
            LOG.debug(
                    "Publications of message {} wait for {}",
                    stop.record().key().messageId(),
                    destination,
                    failure);
        }
    }

    private long sentAt(OutboundMessage message) {
        return message.message().headers().get(Headers.SENT_AT) instanceof Number sentAt
                ? sentAt.longValue()
                : timeline.now().toEpochMilli();
    }

    synchronized void remove(RecordKey key) {
        forget(key);
    }

    private void forget(RecordKey key) {
        Entry gone = entries.remove(key);
        if (gone != null) {
            leave(gone);
        }
    }

    private void leave(Entry gone) {
        if (destinations.merge(gone.destination, -1, Integer::sum) == 0) {
            destinations.remove(gone.destination);
            told.remove(gone.destination);
        }
    }

    /** Called when the sweeper has looked at everything that waits, or as much as it had time for. */
    synchronized void roundEnded() {
        round++;
        for (Iterator<Entry> all = entries.values().iterator(); all.hasNext(); ) {
            Entry entry = all.next();
            if (round - entry.round > ROUNDS) {
                all.remove();
                leave(entry);
            }
        }
    }

    synchronized int count() {
        return entries.size();
    }

    synchronized WaitingPublications summary() {
        if (entries.isEmpty()) {
            return new WaitingPublications(0, null, Map.of());
        }
        long oldest = entries.values().stream().mapToLong(Entry::sentAt).min().orElseThrow();
        return new WaitingPublications(
                entries.size(),
                Instant.ofEpochMilli(oldest),
                destinations.entrySet().stream()
                        .sorted(Collections.reverseOrder(Map.Entry.comparingByValue(Comparator.naturalOrder())))
                        .limit(SHOWN)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }
}
