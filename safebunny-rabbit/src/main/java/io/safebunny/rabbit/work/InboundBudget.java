// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.work;

import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the bytes of delivered messages that all queues of a transport hold at once. The broker counts messages, not bytes, so this works
 * by prefetch: a queue whose prefetch times its message size would not fit takes one message at a time until it does. That one message is
 * always allowed, however large, so no queue ever stalls. The budget cannot hold back what the broker had already sent when the first large
 * message arrived. Thread-safe, never blocks.
 */
public final class InboundBudget {

    private static final Logger LOG = LoggerFactory.getLogger(InboundBudget.class);

    private final BoundedLog log;
    private final long limit;
    /** Sum of the claims of all shares; guarded by this. */
    private long claimed;

    /** @param limit in bytes */
    public InboundBudget(long limit, BoundedLog log) {
        this.limit = limit;
        this.log = log;
    }

    /** The share of one queue that takes up to {@code prefetch} messages at once. */
    public Share share(String queue, int prefetch) {
        return new Share(queue, prefetch);
    }

    /** One queue's part of the budget. */
    public final class Share {

        private final String queue;
        private final int prefetch;
        // guarded by the budget
        private long held;
        private long claim;
        /** Size of recent large messages: a maximum that decays by an eighth per message. */
        private long large;

        private boolean full = true;
        private boolean left;

        private Share(String queue, int prefetch) {
            this.queue = queue;
            this.prefetch = prefetch;
        }

        public void took(int bytes) {
            synchronized (InboundBudget.this) {
                held += bytes;
                large = Math.max(bytes, large - large / 8);
                claim();
            }
        }

        /** Call when a delivery is finished. */
        public void gave(int bytes) {
            synchronized (InboundBudget.this) {
                held -= bytes;
                claim();
            }
        }

        /** Whether the queue may use its full prefetch; otherwise it takes one message at a time. */
        public boolean isFull() {
            boolean was;
            boolean is;
            synchronized (InboundBudget.this) {
                was = full;
                long others = claimed - claim;
                // hysteresis: a slowed-down queue needs a quarter of the limit to spare, or it would keep switching
                full = others + whenFull() <= (was ? limit : limit - limit / 4);
                is = full;
                claim();
            }
            if (was && !is) {
                log.tell(
                        Subject.info(LOG, "Queue '%s' takes one message at a time".formatted(queue)),
                        queue,
                        () -> LOG.info(
                                "Queue '{}' takes one message at a time: {} messages of this size exceed the {} MiB reserved for messages being handled",
                                queue,
                                prefetch,
                                limit >> 20));
            }
            return is;
        }

        private long whenFull() {
            return Math.max(held, large * prefetch);
        }

        /** Claims what the queue holds plus what it may still receive; an idle queue claims nothing. */
        private void claim() {
            long before = claim;
            claim = left || held == 0 ? held : full ? whenFull() : Math.max(held, large);
            claimed += claim - before;
        }

        /** Call when the queue is no longer consumed. */
        public void leave() {
            synchronized (InboundBudget.this) {
                left = true;
                claim();
            }
        }
    }
}
