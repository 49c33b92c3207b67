// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.scheduling.Overdue.Woken;
import io.safebunny.store.Listing;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.waiting.SideBySide;
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
 * Rounds in which all that is overdue is taken, several at once, and woken. One that cannot be taken holds up no other: it is passed
 * over, and a round that its deadline ends is continued by the next one. Every instance of a node sweeps; what one has taken, the others
 * do not find for a while. Used by one thread at a time.
 */
public final class SweepRounds {

    private static final Logger LOG = LoggerFactory.getLogger(SweepRounds.class);

    private static final int PORTION = 100;
    /** A backlog must leave connections of the store to the handlers. */
    private static final int AT_ONCE = 8;
    /** Of one and the same millisecond. */
    private static final int MOST_MET = 1_000;
    /** Those beyond are tried again in each round. */
    private static final int MOST_LEFT = 10_000;

    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    private final String what;
    private final Overdue overdue;
    private final MessageStore store;
    private final ConfirmedSender sender;
    private final SideBySide sideBySide;
    private final Timeline timeline;
    private final BoundedLog log;
    /** Half of it is how late a message may be before it is sent again; a whole one, how long a round lasts at most. */
    private final Duration lease;

    private final Kind failed;
    /** Those that could not even be put off, until when they are passed over. */
    private final Map<RecordKey, Instant> left = new ConcurrentHashMap<>();
    /** Where the next round begins. */
    private Instant begin = Instant.EPOCH;

    /** @param what for the log, such as "Sagas" */
    public SweepRounds(String what, Overdue overdue, Node node) {
        this.what = what;
        this.overdue = overdue;
        this.store = node.requireStore();
        this.sender = node.sender();
        this.sideBySide = new SideBySide(node.workers(), AT_ONCE, node.timeline());
        this.timeline = node.timeline();
        this.log = node.log();
        this.lease = node.options().lease();
        this.failed = Kind.warn(LOG, what + " cannot be looked after");
    }

    /** Messages that are there and cannot be handled are not multiplied: each time one waits as long again as it has waited. */
    public static Duration backOff(Duration shortest, Instant since, Instant now) {
        Duration waited = Duration.between(since, now);
        Duration bounded = waited.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : waited;
        return bounded.compareTo(shortest) > 0 ? bounded : shortest;
    }

    /** How late a message may be that is handled or retried, before it counts as lost. */
    public static Duration patience(RetryStrategy retries, Duration lease) {
        return retries.total().plus(lease.multipliedBy(4));
    }

    /** Runs one on the calling thread. */
    public void run() {
        Instant now = timeline.now();
        left.values().removeIf(until -> !until.isAfter(now));
        try {
            if (sweep(Deadline.after(lease, timeline))) {
                log.works(failed);
            }
        } catch (RuntimeException e) {
            failed("are not looked after now", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void failed(String how, Exception e) {
        log.fails(failed, "sweep", () -> LOG.warn("{} {}", what, how, log.tellable(e)));
    }

    /** @return whether nothing failed */
    private boolean sweep(Deadline end) throws InterruptedException {
        boolean all = true;
        Set<RecordKey> met = new HashSet<>(); // those at the beginning of the next portion, which are found again
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

    /** What is found at once. Thread-safe, but for {@link #takeAll}. */
    private final class Portion {
        final Queue<Woken> woken = new ConcurrentLinkedQueue<>();
        final Queue<RecordKey> failures = new ConcurrentLinkedQueue<>();
        private final Deadline end;
        private final Queue<MessageRecord> open = new ConcurrentLinkedQueue<>();
        /** Since when the first one is overdue for which there was no time. */
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
                    .map(SweepRounds.this::since)
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
            } catch (RuntimeException e) { // its handler may hold it, or a newer version wrote something of it
                failed("cannot be looked after now", e);
                failures.add(record.key());
                Instant later = now.plus(lease.multipliedBy(4));
                if (!isPutOff(record, later) && left.size() < MOST_LEFT) {
                    left.put(record.key(), later);
                }
            }
        }
    }

    /** @return whether it is not found again for a while; its content stays as it is, which may be what cannot be written */
    private boolean isPutOff(MessageRecord record, Instant until) {
        try {
            MessageRecord unused = putOff(record, until);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** With its content as it is. */
    private @Nullable MessageRecord putOff(MessageRecord record, Instant until) {
        Listing listing = record.listing();
        Listing later = listing == null ? null : overdue.at(until, listing);
        return store.replace(record.nextContent(record.state(), record.owner(), later, record.steps()));
    }

    /** @return whether all are confirmed; the others are sent again later */
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
                    "{} are woken, because the messages that should have done so are late [count={}]",
                    what,
                    alarms.size());
            return true;
        } catch (ExecutionException | TimeoutException e) {
            failed("are woken by messages that are not confirmed; they are sent again later", e);
            Instant soon = timeline.now().plus(lease);
            List<MessageRecord> late = woken.stream()
                    .map(Woken::taken)
                    .filter(taken -> since(taken).isAfter(soon)) // not to wait any longer for what the broker refused
                    .toList();
            sideBySide.forEach(late, taken -> {
                boolean unused = isPutOff(taken, soon);
            });
            return false;
        }
    }
}
