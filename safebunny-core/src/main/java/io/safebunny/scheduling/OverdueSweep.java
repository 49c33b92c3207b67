// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.concurrency.SideBySide;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.scheduling.Overdue.Woken;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sweeps the store for overdue records: takes several at a time, and sends the alarms that wake them. A record that cannot be taken is
 * skipped, so that it does not block the others. If a round runs out of time, the next one continues where it ended. Every instance of a
 * node sweeps; the others do not find a record for a while after one has taken it. Used by one thread at a time.
 *
 * <p>Undispatched records are swept by {@code dedup.dispatch}, which sends their messages one by one, so that a destination that does not
 * answer does not hold up the others.
 */
public final class OverdueSweep {

    private static final Logger LOG = LoggerFactory.getLogger(OverdueSweep.class);

    private static final int PORTION = 100;
    /** Records taken at once: few enough to leave connections to the store for the handlers, even during a backlog. */
    private static final int AT_ONCE = 8;
    /** Maximum number of records overdue since the same millisecond; if there are more, the sweep moves on to the next millisecond. */
    private static final int MOST_MET = 1_000;
    /** Maximum number of skipped records; further ones are tried again in each round. */
    private static final int MOST_LEFT = 10_000;

    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    private final String what;
    private final Overdue overdue;
    private final MessageStore store;
    private final ConfirmedSender sender;
    private final SideBySide sideBySide;
    private final Timeline timeline;
    private final BoundedLog log;
    /** Maximum duration of a round. An alarm that is late by half a lease is sent again. */
    private final Duration lease;

    private final Subject failed;
    /** Records that could not even be postponed, and until when they are skipped. */
    private final Map<RecordKey, Instant> left = new ConcurrentHashMap<>();
    /** Where the next round begins. */
    private Instant begin = Instant.EPOCH;

    /** @param what names the records in the log, such as "sagas" */
    public OverdueSweep(String what, Overdue overdue, Node node) {
        this.what = what;
        this.overdue = overdue;
        this.store = node.requireStore();
        this.sender = node.sender();
        this.sideBySide = new SideBySide(node.workers(), AT_ONCE, node.timeline());
        this.timeline = node.timeline();
        this.log = node.log();
        this.lease = node.options().lease();
        this.failed = Subject.warn(LOG, "Sweep of overdue %s failed".formatted(what));
    }

    /**
     * The next wait of a record that is overdue again and again. Doubles each time, up to an hour, so that alarms that exist but cannot be
     * handled do not multiply.
     */
    public static Duration backOff(Duration shortest, Instant since, Instant now) {
        Duration waited = Duration.between(since, now);
        Duration bounded = waited.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : waited;
        return bounded.compareTo(shortest) > 0 ? bounded : shortest;
    }

    /** How late an alarm may be before it counts as lost: long enough for it to be handled and retried. */
    public static Duration patience(RetryStrategy retries, Duration lease) {
        return retries.total().plus(lease.multipliedBy(4));
    }

    /** Runs one round on the calling thread. */
    public void run() {
        Instant now = timeline.now();
        left.values().removeIf(until -> !until.isAfter(now));
        try {
            if (sweep(Deadline.after(lease, timeline))) {
                log.works(failed);
            }
        } catch (RuntimeException e) {
            failed("the next round tries again", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void failed(String then, Exception e) {
        log.fails(failed, "sweep", () -> LOG.warn("Sweep of overdue {} failed; {}", what, then, log.tellable(e)));
    }

    /** @return whether nothing failed */
    private boolean sweep(Deadline end) throws InterruptedException {
        boolean all = true;
        Set<RecordKey> met = new HashSet<>(); // already taken, but found again at the start of the next portion
        Instant from = begin;
        while (!end.isOver()) {
            int asked = PORTION + met.size();
            List<MessageRecord> found = overdue.find(from, timeline.now().minus(lease.dividedBy(2)), asked);
            Portion portion = new Portion(end);
            portion.takeAll(
                    found.stream().filter(record -> !met.contains(record.key())).toList());
            boolean sent = send(portion.woken);
            all &= sent && portion.failures.isEmpty();
            if (!sent || found.size() < asked) {
                begin = portion.firstOpen == null ? Instant.EPOCH : portion.firstOpen;
                return all;
            }
            Instant last = since(found.get(found.size() - 1));
            if (last.isAfter(from)) {
                met.clear();
            } else if (met.size() > MOST_MET) {
                last = from.plusMillis(1);
            }
            from = last;
            for (MessageRecord record : found) {
                if (since(record).equals(from)) {
                    met.add(record.key());
                }
            }
            begin = portion.firstOpen == null ? from : portion.firstOpen;
        }
        return all;
    }

    private Instant since(MessageRecord record) {
        Listing listing = record.listing();
        return listing == null ? Instant.EPOCH : overdue.since(listing);
    }

    /** The records found by one query. Thread-safe except {@link #takeAll}. */
    private final class Portion {
        final Queue<Woken> woken = new ConcurrentLinkedQueue<>();
        final Queue<RecordKey> failures = new ConcurrentLinkedQueue<>();
        private final Deadline end;
        private final Queue<MessageRecord> open = new ConcurrentLinkedQueue<>();
        /** Since when the first of the records for which there was no time has been overdue; {@code null} if there was time for all. */
        @Nullable
        Instant firstOpen;

        Portion(Deadline end) {
            this.end = end;
        }

        void takeAll(List<MessageRecord> found) throws InterruptedException {
            Instant now = timeline.now();
            sideBySide.forEach(
                    found.stream()
                            .filter(record -> !left.containsKey(record.key()))
                            .toList(),
                    record -> take(record, now));
            firstOpen = open.stream()
                    .map(OverdueSweep.this::since)
                    .min(Instant::compareTo)
                    .orElse(null);
        }

        private void take(MessageRecord record, Instant now) {
            if (end.isOver()) {
                open.add(record);
                return;
            }
            try {
                Woken taken = overdue.take(record, now);
                if (taken != null) {
                    woken.add(taken);
                }
            } catch (RuntimeException e) { // a handler may have locked it, or a newer version may have written it
                failed("what could not be taken is tried again later", e);
                failures.add(record.key());
                Instant later = now.plus(lease.multipliedBy(4));
                if (!isPutOff(record, later) && left.size() < MOST_LEFT) {
                    left.put(record.key(), later);
                }
            }
        }
    }

    /**
     * Postpones the record, with its content unchanged, because the new content may be the reason why it cannot be written.
     *
     * @return whether that succeeded, so that the record is not found for a while
     */
    private boolean isPutOff(MessageRecord record, Instant until) {
        try {
            MessageRecord unused = putOff(record, until);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private @Nullable MessageRecord putOff(MessageRecord record, Instant until) {
        Listing listing = record.listing();
        Listing later = listing == null ? null : overdue.at(until, listing);
        return store.replace(record.nextContent(record.state(), record.owner(), later, record.steps()));
    }

    /** @return whether all alarms are confirmed; unconfirmed ones are sent again later */
    private boolean send(Collection<Woken> woken) throws InterruptedException {
        List<OutboundMessage> alarms =
                woken.stream().flatMap(taken -> taken.alarms().stream()).toList();
        if (alarms.isEmpty()) {
            return true;
        }
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (OutboundMessage alarm : alarms) {
            sent.add(sender.send(alarm));
        }
        try {
            Object unused = timeline.await(CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)), lease);
            LOG.info(
                    "Sent messages to wake overdue {}, because the ones that should have done so are late [count={}]",
                    what,
                    alarms.size());
            return true;
        } catch (ExecutionException | TimeoutException e) {
            failed("the messages to wake them are not confirmed, and are sent again later", e);
            Instant soon = timeline.now().plus(lease);
            List<MessageRecord> late = woken.stream()
                    .map(Woken::taken)
                    .filter(taken -> since(taken).isAfter(soon)) // only those that would otherwise wait longer
                    .toList();
            sideBySide.forEach(late, taken -> {
                boolean unused = isPutOff(taken, soon);
            });
            return false;
        }
    }
}
