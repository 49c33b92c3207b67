// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import io.safebunny.dedup.dispatch.Dispatch.Stop;
import io.safebunny.dedup.dispatch.Dispatch.Target;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One round of sweeping: sends what was completed and not dispatched. A target that does not answer, to which nothing is bound, or that
 * refuses message after message is left alone for the rest of the round, so that it holds up no other. One that did not answer is tried in
 * the next round only after all others, with one record. Confined to the sweeping thread.
 */
final class SweepRound {

    private static final Logger LOG = LoggerFactory.getLogger(SweepRound.class);

    private static final int PORTION = 100;
    private static final int MOST_STUCK = 1_000;

    private final MessageStore store;
    private final Timeline timeline;
    /** Records changed more recently are left to the instance that completed them. A round also lasts no longer than this. */
    private final Duration unchangedFor;

    private final Dispatch dispatch;
    private final Marks marks;
    private final DedupLog log;
    private final long end;

    /** Targets that did not answer in the round before. */
    private final Set<Target> silent;

    /** The targets of this round, in the order in which it came to them. */
    private final Map<Target, SweptTarget> met = new LinkedHashMap<>();

    /** Whether the broker cannot be reached, and so no target. */
    private boolean away;
    /** How many records were left as they are, for the next round. */
    private int stuck;

    /** @param silent targets that did not answer in the round before */
    SweepRound(Node node, Dispatch dispatch, Marks marks, DedupLog log, Set<Target> silent) {
        this.store = node.requireStore();
        this.timeline = node.timeline();
        this.unchangedFor = node.options().lease();
        this.dispatch = dispatch;
        this.marks = marks;
        this.log = log;
        this.silent = silent;
        this.end = timeline.nanoTime() + unchangedFor.toNanos();
    }

    /** @return where nobody answered, by what is known now */
    Set<Target> run() {
        int asked;
        int found;
        do {
            asked = PORTION + stuck;
            found = portion(asked);
        } while (!isOver() && found == asked && stuck < MOST_STUCK);
        boolean sawAll = !isOver();
        probeWhileThereIsTime();
        return stillSilent(sawAll);
    }

    /** Of those that nothing waits for any more, it has been sent by somebody else. */
    private Set<Target> stillSilent(boolean sawAll) {
        Set<Target> still = new HashSet<>(sawAll ? Set.of() : silent);
        met.forEach((target, state) -> {
            if (state.silent && (state.waitedFor || !sawAll)) {
                still.add(target);
            } else {
                still.remove(target);
            }
        });
        return still;
    }

    private SweptTarget at(Target target) {
        return met.computeIfAbsent(target, unmet -> new SweptTarget(silent.contains(unmet)));
    }

    private int portion(int most) {
        List<MessageRecord> found = store.findCompleted(unchangedFor, most);
        stuck = 0;
        for (MessageRecord record : found) {
            take(record);
            if (isOver()) {
                break;
            }
        }
        return found.size();
    }

    private boolean isOver() {
        return away || timeline.nanoTime() - end >= 0;
    }

    /** Writing it takes it away from the others, and from the next portions: nobody finds it for a while. */
    private void take(MessageRecord record) {
        if (marks.contains(record.key())) {
            stuck++; // it was sent, and the store will soon say so
            return;
        }
        MessageRecord taken;
        try {
            taken = store.replace(record.next(RecordState.COMPLETED));
        } catch (RecordRefusedException e) {
            stuck++;
            String id = record.key().messageId();
            log.tell(
                    Subject.warn(LOG, "Records cannot be taken away from other instances"),
                    id,
                    () -> LOG.warn(
                            "The record of message {} cannot be taken away from other instances; it is sent all the same",
                            id,
                            log.tellable(e)));
            taken = record;
        }
        if (taken != null) {
            send(taken);
        }
    }

    private void send(MessageRecord taken) {
        int publications = taken.outgoing().size();
        Stop stop = dispatch.sendOnce(taken, target -> at(target).avoided);
        if (stop == null) {
            String id = taken.key().messageId();
            log.tell(
                    Subject.info(LOG, "Publications of messages completed some time ago were sent"),
                    id,
                    () -> LOG.info("Sent {} publications of message {}, completed some time ago", publications, id));
            return;
        }
        SweptTarget target = at(Target.of(stop.at()));
        if (stop.concernsAll()) {
            tellUnconfirmed(stop);
            away = true;
        } else if (stop.isUnconfirmed()) {
            tellUnconfirmed(stop);
            target.avoided = true;
            target.silent = true;
            target.waitedFor = true;
        } else if (stop.failure() != null) {
            target.refused(stop.failure());
        } else if (target.wasSilent) {
            target.waitedFor = true;
            if (target.probe == null) {
                target.probe = stop.record();
            }
        }
    }

    /** One at least: each may take a timeout, and the other destinations wait for the next round. */
    private void probeWhileThereIsTime() {
        for (SweptTarget target : met.values()) {
            MessageRecord probe = target.probe;
            if (away) {
                return;
            }
            if (probe != null) {
                probe(target, probe);
                if (isOver()) {
                    return;
                }
            }
        }
    }

    private void probe(SweptTarget target, MessageRecord record) {
        Stop stop = dispatch.sendOnce(record);
        if (stop == null || !stop.isUnconfirmed()) {
            target.silent = false;
        } else {
            away |= stop.concernsAll();
        }
    }

    private void tellUnconfirmed(Stop stop) {
        log.unconfirmed(stop.record().key().messageId(), stop.failure());
    }
}
