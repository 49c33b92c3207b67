// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import io.safebunny.concurrency.RecurringTask;
import io.safebunny.dedup.dispatch.Dispatch.Stop;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.node.Node;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** All that happens to a message's record after its completion. Thread-safe. */
public final class Dispatching {

    private final Duration comesBack;
    private final DedupLog log;
    private final Marks marks;
    private final WaitingRecords waiting;
    private final Dispatch dispatch;
    private final RecurringTask sweeps;

    /**
     * @param node with a store
     * @param comesBack when a message is delivered again whose publications are not confirmed
     */
    public Dispatching(Node node, DedupLog log, Duration comesBack) {
        this.comesBack = comesBack;
        this.log = log;
        this.marks = new Marks(node.requireStore(), node.timeline(), node.workers(), log);
        this.waiting = new WaitingRecords(node.timeline());
        this.dispatch = new Dispatch(node, marks, waiting, log);
        Sweeper sweeper = new Sweeper(node, dispatch, marks, waiting, log);
        this.sweeps =
                new RecurringTask("sweeping", node.options().lease(), sweeper::sweep, node.workers(), node.timeline());
        node.metrics().waitingForDispatch(waiting::count);
    }

    /** Starts sweeping. */
    public void start() {
        sweeps.start();
    }

    /** Stops sweeping, and writes the pending marks. */
    public void stop() {
        sweeps.stop();
        marks.flush();
    }

    /** Handled messages whose publications the broker does not accept. */
    public WaitingPublications waiting() {
        return waiting.summary();
    }

    /** Whether all of the message is sent, and only the mark that says so is still pending. */
    public boolean isSent(RecordKey key) {
        return marks.contains(key);
    }

    /**
     * The message is handled, whatever happens here: publications that the broker refuses stay in the record, and the sweeper
     * retries them.
     *
     * @return {@code null}, unless they are not confirmed, and will be sent again when the message comes back
     */
    public @Nullable NotHandledException send(MessageRecord completed) {
        try {
            Stop stop = dispatch.send(completed);
            if (stop != null && stop.isInterrupted()) {
                return NotHandledException.later(
                        "Interrupted while sending the publications of message %s; they will be sent again"
                                .formatted(completed.key().messageId()),
                        Duration.ZERO);
            }
            return stop != null && stop.isUnconfirmed() ? unconfirmed(completed, stop.failure()) : null;
        } catch (Error e) { // out of memory or threads
            return unconfirmed(completed, e);
        }
    }

    private NotHandledException unconfirmed(MessageRecord completed, @Nullable Throwable failure) {
        log.unconfirmed(completed.key().messageId(), failure);
        return NotHandledException.trouble(
                "Publications of message %s are not confirmed; they will be sent again"
                        .formatted(completed.key().messageId()),
                comesBack);
    }
}
